/* SPDX-License-Identifier: MIT */
/* bits.h - reads and writes single bits in a row of bytes, the lowest bit of a byte first. */
#ifndef BITS_H
#define BITS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace compress {

using Bytes = std::vector<uint8_t>;

class BitWriter {
public:
	explicit BitWriter(Bytes &bytes) : bytes_(bytes) {}
	void put(uint32_t bits, unsigned count);
	void finish();

private:
	Bytes &bytes_;
	uint64_t pending_ = 0;
	unsigned pending_count_ = 0;
};

class BitReader {
public:
	BitReader(const uint8_t *begin, const uint8_t *end) : cursor_(begin), end_(end) {}
	/* Throws std::runtime_error after the last bit. */
	unsigned get();

private:
	const uint8_t *cursor_, *end_;
	unsigned bit_ = 0;
};

} // namespace compress

#endif
