/* SPDX-License-Identifier: MIT */
/* match_finder.h - finds earlier occurrences of text. */
#ifndef MATCH_FINDER_H
#define MATCH_FINDER_H

#include "bits.h"

namespace compress {

constexpr size_t shortest_match = 4, longest_match = shortest_match + 255;
constexpr size_t farthest_match = 1 << 16;

constexpr unsigned hash_bits = 13;

struct Match {
	size_t length = 0, distance = 0;
};

class MatchFinder {
public:
	MatchFinder(const Bytes &text, unsigned effort)
		: text_(text.data()), length_(text.size()), effort_(effort),
		  previous_(text.size(), none), latest_(size_t(1) << hash_bits, none)
	{
	}
	/* Returns the longest match among the added positions; its length is 0 if there is none. */
	Match find(size_t position) const;
	void add(size_t begin, size_t end);

private:
	static constexpr uint32_t none = UINT32_MAX;
	size_t hash(size_t position) const;
	size_t common_length(size_t a, size_t b) const;

	const uint8_t *text_;
	size_t length_;
	unsigned effort_;
	std::vector<uint32_t> previous_; /* for each position the one before it with the same hash */
	std::vector<uint32_t> latest_;   /* for each hash its last position */
};

} // namespace compress

#endif
