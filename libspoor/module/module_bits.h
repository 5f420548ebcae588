/* SPDX-License-Identifier: MIT */
/* module_bits.h - one bit for each module, by its position in the registry. Under the registry's lock. */
#ifndef SPOOR_MODULE_BITS_H
#define SPOOR_MODULE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "patch/sled_index.h"

struct spoor_module_bits {
	uint32_t used;		/* words after these were never set since the last spoor_module_bits_clear */
	uint64_t words[SPOOR_MODULES_MAX / 64];
};

static inline bool spoor_module_bit(const struct spoor_module_bits *bits, uint32_t position)
{
	return bits->words[position / 64] >> (position % 64) & 1;
}

static inline void spoor_module_bit_set(struct spoor_module_bits *bits, uint32_t position)
{
	bits->words[position / 64] |= 1ull << (position % 64);
	if (bits->used <= position / 64)
		bits->used = position / 64 + 1;
}

static inline void spoor_module_bit_clear(struct spoor_module_bits *bits, uint32_t position)
{
	bits->words[position / 64] &= ~(1ull << (position % 64));
}

static inline void spoor_module_bits_clear(struct spoor_module_bits *bits)
{
	if (!bits->used)
		return;
	memset(bits->words, 0, bits->used * sizeof(bits->words[0]));
	bits->used = 0;
}

#endif
