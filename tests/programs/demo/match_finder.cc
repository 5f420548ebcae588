/* SPDX-License-Identifier: MIT */
/* match_finder.cc - finds repetitions through chains of positions with the same hash. */
#include "match_finder.h"

#include <algorithm>

namespace compress {

size_t MatchFinder::hash(size_t position) const
{
	const uint8_t *p = text_ + position;
	uint32_t four = p[0] | p[1] << 8 | p[2] << 16 | uint32_t(p[3]) << 24;

	return four * 2654435761u >> (32 - hash_bits);
}

size_t MatchFinder::common_length(size_t a, size_t b) const
{
	size_t length = 0, limit = std::min(longest_match, length_ - b);

	while (length < limit && text_[a + length] == text_[b + length])
		length++;
	return length;
}

Match MatchFinder::find(size_t position) const
{
	Match best;

	if (position + shortest_match > length_)
		return best;
	uint32_t candidate = latest_[hash(position)];
	for (unsigned tries = effort_; tries && candidate != none; tries--) {
		if (position - candidate > farthest_match)
			break;
		size_t length = common_length(candidate, position);
		if (length > best.length)
			best = {length, position - candidate};
		candidate = previous_[candidate];
	}
	return best;
}

void MatchFinder::add(size_t begin, size_t end)
{
	end = std::min(end, length_ < shortest_match ? 0 : length_ - shortest_match + 1);
	for (size_t position = begin; position < end; position++) {
		uint32_t &latest = latest_[hash(position)];
		previous_[position] = latest;
		latest = uint32_t(position);
	}
}

} // namespace compress
