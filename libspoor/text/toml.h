/* SPDX-License-Identifier: MIT */
/*
 * toml.h - reads the part of TOML that a configuration of keys and values needs.
 *
 *   key = "basic \u00e9 string"   # comment
 *   key = 'literal string'
 *   key = 1_000, 0xff, 0o17, 0b1, -1
 *   key = true
 *
 * Bare keys, one a line; and for whoever asks for it, the headers of arrays of tables,
 * [[name]]. Whatever is accepted is TOML 1.0 and means the same
 * there, but that integers have 64 bits and no more, and what is TOML
 * and not of this part (tables, arrays, dates, floating point, strings of
 * several lines, dotted and quoted keys) is refused by name.
 */
#ifndef SPOOR_TOML_H
#define SPOOR_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOR_TOML_KEY_BYTES 80u	/* with the NUL */
#define SPOOR_TOML_TEXT_BYTES 4096u

/* The last one only where tables are taken: key is the name in [[name]]. */
enum spoor_toml_kind { SPOOR_TOML_STRING, SPOOR_TOML_INTEGER, SPOOR_TOML_BOOLEAN, SPOOR_TOML_TABLE };

struct spoor_toml_pair {
	char key[SPOOR_TOML_KEY_BYTES];
	enum spoor_toml_kind kind;
	char text[SPOOR_TOML_TEXT_BYTES];	/* a string's characters; none is a NUL */
	uint64_t number;			/* an integer's distance from 0 */
	bool negative;
	bool boolean;
};

struct spoor_toml {
	const uint8_t *at, *end;
	bool tables;		/* take [[name]]; set after spoor_toml_begin */
	uint32_t line;		/* of the pair returned last, or of the fault */
	const char *fault;	/* what is wrong there, in words */
};

void spoor_toml_begin(struct spoor_toml *toml, const void *bytes, size_t size);

/*
 * spoor_toml_next - the next pair.
 *
 * That no key comes twice is the caller's to see.
 *
 * Return: 1, 0 at the end, or -EINVAL, and toml->line and toml->fault say why.
 *
 * Context: any; calls nothing.
 */
int spoor_toml_next(struct spoor_toml *toml, struct spoor_toml_pair *pair);

#endif
