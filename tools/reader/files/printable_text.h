/* SPDX-License-Identifier: MIT */
/* printable_text.h - makes names from files and processes safe for a terminal. */
#ifndef SPOOR_READER_PRINTABLE_TEXT_H
#define SPOOR_READER_PRINTABLE_TEXT_H

/*
 * clean_name - replaces control characters by '?'. Otherwise a name could send commands to the
 * terminal, or end a line. @name may be null.
 *
 * Returns @name.
 */
static inline char *clean_name(char *name)
{
	for (char *at = name; at && *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	return name;
}

#endif
