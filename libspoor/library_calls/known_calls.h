/* SPDX-License-Identifier: MIT */
/* known_calls.h - the shipped tables of library functions: how many words of stack arguments each one takes. */
#ifndef SPOOR_KNOWN_CALLS_H
#define SPOOR_KNOWN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "event/library_path.h"

/* The functions of one library, or of several that share a table. */
struct spoor_known_library;

/* Returns the table of the library with this soname, or null. */
const struct spoor_known_library *spoor_known_library(const char *soname);

/* What a call of a function needs. */
struct spoor_known_call {
	enum spoor_library_kind kind;
	uint32_t words;		/* of stack arguments; of a SPOOR_LIBRARY_WORDS */
	uint32_t argument;	/* position of the format */
};

/* Finds a function of a library by its name. Returns whether the table has it. */
bool spoor_known_call_find(const struct spoor_known_library *library, const char *name, struct spoor_known_call *call);

#endif
