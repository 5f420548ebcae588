/* SPDX-License-Identifier: MIT */
/* compress.cc - the C interface of libcompress.so, which lets no exception out. */
#include "compress.h"
#include "huffman.h"
#include "lz.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

using compress::Bytes;

struct dictionary {
	Bytes text;
};

namespace compress {
namespace {

constexpr size_t longest_dictionary = 1 << 15;

Bytes pack(const dictionary &dictionary, const uint8_t *text, size_t length, unsigned effort)
{
	Bytes packed;

	huffman_encode(lz_encode(dictionary.text, text, length, effort), packed);
	return packed;
}

Bytes unpack(const dictionary &dictionary, const uint8_t *bytes, size_t length)
{
	return lz_decode(dictionary.text, huffman_decode(bytes, bytes + length));
}

uint8_t *copy(const Bytes &bytes)
{
	uint8_t *memory = static_cast<uint8_t *>(malloc(bytes.size() + 1));

	if (!memory)
		throw std::bad_alloc();
	std::copy(bytes.begin(), bytes.end(), memory);
	return memory;
}

} // namespace
} // namespace compress

extern "C" {

dictionary *compress_dictionary_new(const void *text, size_t length)
{
	auto begin = static_cast<const uint8_t *>(text);

	try {
		return new dictionary{Bytes(begin, begin + std::min(length, compress::longest_dictionary))};
	} catch (const std::bad_alloc &) {
		return nullptr;
	}
}

void compress_dictionary_free(dictionary *dictionary)
{
	delete dictionary;
}

int compress_pack(const dictionary *dictionary, const void *text, size_t length, packed *packed)
{
	static const unsigned efforts[] = {16, 256};
	auto begin = static_cast<const uint8_t *>(text);
	Bytes smallest;

	try {
		packed->effort = 0;
		for (unsigned effort : efforts) {
			Bytes bytes = compress::pack(*dictionary, begin, length, effort);
			if (packed->effort && bytes.size() >= smallest.size())
				continue;
			smallest = std::move(bytes);
			packed->effort = effort;
		}
		packed->bytes = compress::copy(smallest);
		packed->length = smallest.size();
	} catch (const std::exception &) {
		return -1;
	}
	return 0;
}

int compress_unpack(const dictionary *dictionary, const packed *packed, uint8_t **text,
		    size_t *length)
{
	try {
		Bytes bytes = compress::unpack(*dictionary, packed->bytes, packed->length);
		*text = compress::copy(bytes);
		*length = bytes.size();
	} catch (const std::exception &) {
		return -1;
	}
	return 0;
}

void compress_free(void *bytes)
{
	free(bytes);
}

} // extern "C"
