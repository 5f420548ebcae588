/* SPDX-License-Identifier: MIT */
/* number_text.h - parses numbers of the command line, which consist of digits only. */
#ifndef SPOOR_TOOLS_NUMBER_TEXT_H
#define SPOOR_TOOLS_NUMBER_TEXT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Returns whether all of @text is a number from @least to @most. */
static inline bool number_text_parse(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && *text >= '0' && *text <= '9' && !*end && *number >= least && *number <= most;
}

#endif
