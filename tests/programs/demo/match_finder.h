/* SPDX-License-Identifier: MIT */
/* match_finder.h - where what comes has stood before. */
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
	/* The longest match among the places that were added; length 0 if there is none. */
	Match find(size_t position) const;
	void add(size_t begin, size_t end);

private:
	static constexpr uint32_t none = UINT32_MAX;
	size_t hash(size_t position) const;
	size_t common_length(size_t a, size_t b) const;

	const uint8_t *text_;
	size_t length_;
	unsigned effort_;
	std::vector<uint32_t> previous_; /* the place before with the same hash */
	std::vector<uint32_t> latest_;   /* by hash */
};

} // namespace compress

#endif
