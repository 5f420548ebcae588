/* SPDX-License-Identifier: MIT */
/* argument_places_x86_64.c - the registers of arguments and results by the System V calling convention. */
#include "capture/argument_places.h"

#define GENERALS 6u	/* rdi, rsi, rdx, rcx, r8, r9 */
#define VECTORS 8u	/* xmm0 to xmm7 */

uint16_t spoor_place_stack(struct spoor_used_places *used, uint32_t words, uint32_t alignment)
{
	uint32_t place = (used->stack_words + alignment - 1) / alignment * alignment;

	used->stack_words = place + words;
	return place < SPOOR_PLACE_NONE - SPOOR_PLACE_STACK ? (uint16_t)(SPOOR_PLACE_STACK | place) : SPOOR_PLACE_NONE;
}

uint16_t spoor_place_general(struct spoor_used_places *used, uint32_t words)
{
	uint16_t place = (uint16_t)used->general;

	if (used->general + words <= GENERALS) {
		used->general += words;
		return place;
	}
	/* Versions of LLVM differ in where they pass an integer of two words if one register is left. */
	return words > 1 ? SPOOR_PLACE_NONE : spoor_place_stack(used, 1, 1);
}

uint16_t spoor_place_vector(struct spoor_used_places *used, uint32_t words)
{
	if (used->vectors < VECTORS)
		return (uint16_t)(SPOOR_PLACE_VECTORS + 2 * used->vectors++);
	return spoor_place_stack(used, words, words);
}

uint16_t spoor_place_x87(struct spoor_used_places *used)
{
	return spoor_place_stack(used, 2, 2);
}

bool spoor_place_array(struct spoor_used_places *used, uint32_t general, uint32_t vectors)
{
	(void)used, (void)general, (void)vectors;
	return false;
}

/* The function returns the address in rax. */
uint16_t spoor_place_result_address(struct spoor_used_places *used)
{
	spoor_place_general(used, 1);
	return 0;
}

bool spoor_place_is_noted(uint16_t place)
{
	(void)place;
	return false;
}

/* rax, rdx, rcx; xmm0 to xmm3; one x87 register is saved, and a second one would be an imaginary part. */
bool spoor_results_fit(uint32_t general, uint32_t vectors, uint32_t x87)
{
	return general <= 3 && vectors <= 4 && x87 <= 1;
}
