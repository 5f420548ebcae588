/* SPDX-License-Identifier: MIT */
/* sled_check.c - checks a function's sleds before they are patched for the first time. */
#include "patch/sled_check.h"

#include "format/sled.h"
#include "patch/sled_index.h"

/* Checks a sled, and counts it if it must be skipped. */
static bool sled_is_good(struct spoor_sleds *sleds, uint32_t word)
{
	struct spoor_skipped_sleds *skipped_sleds = &sleds->skipped_sleds;
	uint8_t kind = SPOOR_SLED_WORD_KIND(word);

	switch (spoor_sled_check(spoor_sled_at(sleds->text_low, word), kind, sleds->functions.dso->thunks[kind],
				 SPOOR_SLED_BYTES + 8)) {
	case SPOOR_SLED_GOOD:
		return true;
	case SPOOR_SLED_UNEXPECTED:
		skipped_sleds->unexpected_bytes++;
		break;
	case SPOOR_SLED_CONDITIONAL:
		skipped_sleds->conditional_jump++;
		break;
	case SPOOR_SLED_STACK_OPERAND:
		skipped_sleds->stack_operand++;
		break;
	case SPOOR_SLED_OUT_OF_REACH:
		skipped_sleds->out_of_reach++;
		break;
	}
	return false;
}

static void leave_all(struct spoor_sleds *sleds, uint32_t *word, const uint32_t *end)
{
	for (; word < end; word++) {
		sleds->skipped_sleds.unexpected_bytes += SPOOR_SLED_WORD_KIND(*word) != SPOOR_SLED_ALONE;
		*word |= SPOOR_SLED_ALONE;
	}
}

void spoor_sleds_check(struct spoor_sleds *sleds, uint32_t *begin, const uint32_t *end)
{
	for (uint32_t *word = begin; word < end; word++) {
		uint8_t kind = SPOOR_SLED_WORD_KIND(*word);

		if (kind == SPOOR_SLED_ALONE)
			continue;
		*word ^= kind ^ spoor_sled_kind(spoor_sled_at(sleds->text_low, *word), kind);
		if (sled_is_good(sleds, *word))
			continue;
		*word |= SPOOR_SLED_ALONE;
		if (kind == SPOOR_SLED_ENTRY)
			leave_all(sleds, begin, end);
	}
}
