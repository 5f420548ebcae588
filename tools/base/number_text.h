/* SPDX-License-Identifier: MIT */
/* number_text.h - parses numbers, counts and sizes of the command line. */
#ifndef SPOOR_TOOLS_NUMBER_TEXT_H
#define SPOOR_TOOLS_NUMBER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* What a message proposes for a size that is not valid. */
#define NUMBER_TEXT_SIZES "use a number of bytes such as '500000', '64K', '100M' or '1.5G'"

/* Returns whether all of @text is a number from @least to @most: a process ID, a port, or a width. */
bool number_text_parse(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/* Returns whether all of @text is a count from @least to @most: digits and a point, then k, M, G or T in either case,
 * which are powers of 1,000. */
bool number_text_count(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/*
 * Returns whether all of @text is a size from @least to @most bytes. K, M, G and T, in either case, are powers of
 * 1,024, also with "iB" after them; with "B" they are powers of 1,000, as for dd(1).
 */
bool number_text_size(const char *text, uint64_t least, uint64_t most, uint64_t *bytes);

#endif
