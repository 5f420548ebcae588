/* SPDX-License-Identifier: MIT */
/*
 * argument_places.h - computes in which registers and at which places of the stack a function gets its arguments and
 * returns its result, from its description by the pass (signature_format.h).
 *
 * The rules are LLVM's, which assigns each part of an argument on its own. Each architecture has a file with its
 * registers.
 */
#ifndef SPOOR_ARGUMENT_PLACES_H
#define SPOOR_ARGUMENT_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/signature_format.h"
#include "format/values_format.h"

#define SPOOR_PARTS_MAX 64u

/* A part of an argument, or of the result, as it could be captured. */
struct spoor_part {
	struct spoor_capture_value value;
	uint8_t layout;		/* enum spoor_text_layout; 0: it leads to no text or object that is known */
	uint32_t bytes;		/* of a structure on the stack or a result in memory, which may be larger than the captured part */
};

struct spoor_places {
	struct spoor_part arguments[SPOOR_PARTS_MAX], results[SPOOR_PARTS_MAX];
	uint32_t argument_count, result_count;	/* number of parts */
	bool is_variadic;
	bool arguments_cut;	/* places of the last arguments are unknown, or too many */
	bool result_unknown;	/* the place of the result is unknown */
};

/*
 * spoor_places_find - computes the places.
 * @signature: from its flags on
 *
 * Return: 0, or -EBADMSG if it is no description.
 */
int spoor_places_find(const uint8_t *signature, size_t bytes, struct spoor_places *places);

/* For the files of the architectures: what the arguments so far have used. */
struct spoor_used_places {
	uint32_t general, vectors, stack_words;
};

/* The place of a value that no record can have. */
#define SPOOR_PLACE_NONE 0xffffu

/* Return the place of the next argument: in @words general registers, in a vector register, or on the stack.
 * @alignment: in words */
uint16_t spoor_place_general(struct spoor_used_places *used, uint32_t words);
uint16_t spoor_place_vector(struct spoor_used_places *used, uint32_t words);
uint16_t spoor_place_stack(struct spoor_used_places *used, uint32_t words, uint32_t alignment);

/* Returns the place of an x87 number of 80 bits. */
uint16_t spoor_place_x87(struct spoor_used_places *used);

/* An array of @general integers and @vectors real numbers follows. Returns whether the real numbers are in memory. */
bool spoor_place_array(struct spoor_used_places *used, uint32_t general, uint32_t vectors);

/* The address of memory for the result follows. Returns where the address is at an exit. */
uint16_t spoor_place_result_address(struct spoor_used_places *used);

/* Tells if the entry must note the value at this place of a result. */
bool spoor_place_is_noted(uint16_t place);

/* Tells if a function can return this number of parts in registers. */
bool spoor_results_fit(uint32_t general, uint32_t vectors, uint32_t x87);

#endif
