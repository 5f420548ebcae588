/* SPDX-License-Identifier: MIT */
/*
 * lz.cc - compresses repetitions by LZ77.
 *
 * The result is a row of items in groups of eight. A group begins with a byte of
 * flags, one for each item: the item is a literal byte, or three bytes with
 * length - shortest_match and distance - 1. lz_encode finds the shortest row that
 * gives the text.
 */
#include "lz.h"
#include "match_finder.h"

#include <algorithm>
#include <stdexcept>

namespace compress {
namespace {

constexpr size_t literal_bits = 1 + 8, match_bits = 1 + 24;

class ItemWriter {
public:
	void literal(uint8_t byte);
	void match(const Match &match);
	Bytes take() { return std::move(bytes_); }

private:
	void flag(unsigned bit);

	Bytes bytes_;
	size_t flags_ = 0;
	unsigned items_ = 0;
};

void ItemWriter::flag(unsigned bit)
{
	if (items_ % 8 == 0) {
		flags_ = bytes_.size();
		bytes_.push_back(0);
	}
	bytes_[flags_] |= bit << items_ % 8;
	items_++;
}

void ItemWriter::literal(uint8_t byte)
{
	flag(0);
	bytes_.push_back(byte);
}

void ItemWriter::match(const Match &match)
{
	flag(1);
	bytes_.push_back(uint8_t(match.length - shortest_match));
	bytes_.push_back(uint8_t(match.distance - 1));
	bytes_.push_back(uint8_t((match.distance - 1) >> 8));
}

/* The cheapest way to encode the text up to a position, in bits. */
struct Step {
	size_t bits = SIZE_MAX;
	Match item; /* the last item of this way; a literal has length 1 */
};

/* Returns the items that encode [begin, end of text) in the fewest bits, in order. */
std::vector<Match> cheapest_items(const Bytes &text, size_t begin, unsigned effort)
{
	MatchFinder finder(text, effort);
	std::vector<Step> steps(text.size() + 1);
	std::vector<Match> items;
	auto relax = [&steps](size_t position, size_t length, size_t distance, size_t bits) {
		Step &step = steps[position + length];
		if (steps[position].bits + bits < step.bits)
			step = {steps[position].bits + bits, {length, distance}};
	};

	finder.add(0, begin);
	steps[begin].bits = 0;
	for (size_t position = begin; position < text.size(); position++) {
		Match match = finder.find(position);

		relax(position, 1, 0, literal_bits);
		for (size_t length = shortest_match; length <= match.length; length++)
			relax(position, length, match.distance, match_bits);
		finder.add(position, position + 1);
	}
	for (size_t position = text.size(); position > begin; position -= items.back().length)
		items.push_back(steps[position].item);
	std::reverse(items.begin(), items.end());
	return items;
}

} // namespace

Bytes lz_encode(const Bytes &dictionary, const uint8_t *text, size_t length, unsigned effort)
{
	Bytes all(dictionary);
	all.insert(all.end(), text, text + length);
	ItemWriter writer;
	size_t position = dictionary.size();

	for (const Match &item : cheapest_items(all, position, effort)) {
		if (item.length == 1)
			writer.literal(all[position]);
		else
			writer.match(item);
		position += item.length;
	}
	return writer.take();
}

Bytes lz_decode(const Bytes &dictionary, const Bytes &packed)
{
	Bytes text(dictionary);
	unsigned flags = 0;
	auto cursor = packed.begin();

	for (unsigned item = 0; cursor != packed.end(); item++, flags >>= 1) {
		if (item % 8 == 0) {
			flags = *cursor++;
			if (cursor == packed.end())
				throw std::runtime_error("the packed text ends within a group");
		}
		if (!(flags & 1)) {
			text.push_back(*cursor++);
			continue;
		}
		if (packed.end() - cursor < 3)
			throw std::runtime_error("the packed text ends within a reference");
		size_t length = shortest_match + cursor[0], distance = 1 + (cursor[1] | cursor[2] << 8);
		cursor += 3;
		if (distance > text.size())
			throw std::runtime_error("the packed text has an invalid reference");
		for (; length; length--)
			text.push_back(text[text.size() - distance]);
	}
	text.erase(text.begin(), text.begin() + ptrdiff_t(dictionary.size()));
	return text;
}

} // namespace compress
