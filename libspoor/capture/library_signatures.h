/* SPDX-License-Identifier: MIT */
/*
 * library_signatures.h - finds the descriptions of functions of a library whose calls are recorded: in the shipped tables, or
 * in the files of the modules that call the functions through call slots.
 *
 * Under the registry's lock.
 */
#ifndef SPOOR_LIBRARY_SIGNATURES_H
#define SPOOR_LIBRARY_SIGNATURES_H

#include "module/registry.h"

struct spoor_library_signatures {
	struct spoor_instance *library;
	uint8_t (*wrappers)[1 + SPOOR_SIGNATURE_MAX];	/* by local ID: length and description; null: none */
	size_t bytes;
};

/*
 * spoor_library_signatures_open - reads the descriptions that modules have for the functions in @wanted.
 * @wanted: bits by local ID
 */
void spoor_library_signatures_open(struct spoor_library_signatures *signatures, struct spoor_instance *library,
				   const uint64_t *wanted);

/* Gets the description and the names of a function. */
void spoor_library_signatures_find(const struct spoor_library_signatures *signatures, uint32_t local,
				   struct spoor_library_function *function);
void spoor_library_signatures_close(struct spoor_library_signatures *signatures);

#endif
