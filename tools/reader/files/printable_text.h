/* SPDX-License-Identifier: MIT */
/* printable_text.h - names out of files and processes, fit for a terminal. */
#ifndef SPOOR_READER_CLEAN_H
#define SPOOR_READER_CLEAN_H

/*
 * clean_name - puts '?' in the place of control characters: a name could hold
 * what a terminal obeys, or the end of a line. Null is left alone.
 *
 * Return: @name.
 */
static inline char *clean_name(char *name)
{
	for (char *at = name; at && *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	return name;
}

#endif
