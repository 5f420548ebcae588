/* SPDX-License-Identifier: MIT */
/*
 * known_calls.h - the shipped tables of library functions: how many words of stack arguments each one takes, and its
 * signature.
 *
 * A signature is text: a letter for the type of the result, then one for each argument, a space, and the names of the
 * arguments as the user could write them in `record --args` (capture_text.h): "lipL fd,buf,count". Arguments after the last
 * name exist in some calls only. The letters:
 *   v  none            c  char               h, H  short, unsigned short     l, L  64 bits, unsigned 64 bits
 *   f  float           a, C  signed char, unsigned char or bool              i, u  int, unsigned int
 *   d  double          D  long double        p  a pointer                    t  text: const char *
 *   ?  another type    .  further arguments follow
 */
#ifndef SPOOR_KNOWN_CALLS_H
#define SPOOR_KNOWN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
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
	const char *signature;	/* "": unknown */
};

/* Finds a function of a library by its name. Returns whether the table has it. */
bool spoor_known_call_find(const struct spoor_known_library *library, const char *name, struct spoor_known_call *call);

/*
 * spoor_known_signature_read - translates a signature into a description of a function (signature_format.h), from its flags
 * on.
 * @names: out: the names of the arguments, without end; null if there are none
 *
 * Returns the number of bytes; 0 if the signature is unknown, or has more than @room bytes.
 */
size_t spoor_known_signature_read(const char *signature, uint8_t *bytes, size_t room, const char **names);

#endif
