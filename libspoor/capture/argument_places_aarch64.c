/* SPDX-License-Identifier: MIT */
/* argument_places_aarch64.c - the registers of arguments and results by the procedure call standard (AAPCS64). */
#include "capture/argument_places.h"

#define GENERALS 8u	/* x0 to x7 */
#define VECTORS 8u	/* v0 to v7 */

uint16_t spoor_place_stack(struct spoor_used_places *used, uint32_t words, uint32_t alignment)
{
	uint32_t place = (used->stack_words + alignment - 1) / alignment * alignment;

	used->stack_words = place + words;
	return place < SPOOR_PLACE_NONE - SPOOR_PLACE_STACK ? (uint16_t)(SPOOR_PLACE_STACK | place) : SPOOR_PLACE_NONE;
}

/* An integer of two words begins at an even register, and is never split. */
uint16_t spoor_place_general(struct spoor_used_places *used, uint32_t words)
{
	uint32_t place = words > 1 ? (used->general + 1) / 2 * 2 : used->general;

	if (place + words <= GENERALS) {
		used->general = place + words;
		return (uint16_t)place;
	}
	used->general = GENERALS;
	return spoor_place_stack(used, words, words);
}

uint16_t spoor_place_vector(struct spoor_used_places *used, uint32_t words)
{
	if (used->vectors < VECTORS)
		return (uint16_t)(SPOOR_PLACE_VECTORS + 2 * used->vectors++);
	return spoor_place_stack(used, words, words);
}

uint16_t spoor_place_x87(struct spoor_used_places *used)
{
	(void)used;
	return SPOOR_PLACE_NONE;
}

/* An array that does not fit into the registers that are left is in memory, and leaves no register for later
 * arguments. */
bool spoor_place_array(struct spoor_used_places *used, uint32_t general, uint32_t vectors)
{
	if (general && used->general + general > GENERALS)
		used->general = GENERALS;
	if (!vectors || used->vectors + vectors <= VECTORS)
		return false;
	used->vectors = VECTORS;
	return true;
}

/* The function gets the address in x8, and need not preserve it: result_addresses.h. */
uint16_t spoor_place_result_address(struct spoor_used_places *used)
{
	(void)used;
	return SPOOR_PLACE_X8;
}

bool spoor_place_is_noted(uint16_t place)
{
	return place == SPOOR_PLACE_X8;
}

/* x0 to x7; the trampolines save v0 to v7. */
bool spoor_results_fit(uint32_t general, uint32_t vectors, uint32_t x87)
{
	return general <= GENERALS && vectors <= VECTORS && !x87;
}
