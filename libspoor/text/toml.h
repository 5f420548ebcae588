/* SPDX-License-Identifier: MIT */
/*
 * toml.h - parses the part of TOML that a configuration of keys and values needs.
 *
 *   key = "basic \u00e9 string"   # comment
 *   key = 'literal string'
 *   key = 1_000, 0xff, 0o17, 0b1, -1
 *   key = true
 *
 * Keys are bare, one per line. Headers of arrays of tables, [[name]], are optional. All accepted text is
 * TOML 1.0 and means the same there, except that an integer has at most 64 bits. Other parts of TOML
 * (tables, arrays, dates, floating point, strings of several lines, dotted and quoted keys) are rejected
 * with an error that names them.
 */
#ifndef SPOOR_TOML_H
#define SPOOR_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOR_TOML_KEY_BYTES 80u	/* with the NUL */
#define SPOOR_TOML_TEXT_BYTES 4096u

/* SPOOR_TOML_TABLE only if `tables` is set; then `key` is the name in [[name]]. */
enum spoor_toml_kind { SPOOR_TOML_STRING, SPOOR_TOML_INTEGER, SPOOR_TOML_BOOLEAN, SPOOR_TOML_TABLE };

struct spoor_toml_pair {
	char key[SPOOR_TOML_KEY_BYTES];
	enum spoor_toml_kind kind;
	char text[SPOOR_TOML_TEXT_BYTES];	/* a string's characters, without NUL inside */
	uint64_t number;			/* an integer's absolute value */
	bool negative;
	bool boolean;
};

struct spoor_toml {
	const uint8_t *at, *end;
	bool tables;		/* accept [[name]]; set after spoor_toml_begin */
	uint32_t line;		/* of the last pair, or of the fault */
	const char *fault;	/* describes the error, as a noun phrase or sentence; static */
};

void spoor_toml_begin(struct spoor_toml *toml, const void *bytes, size_t size);

/*
 * spoor_toml_next - reads the next pair. The caller checks for duplicate keys.
 *
 * Return: 1, 0 at the end, or -EINVAL: then toml->line and toml->fault describe the error.
 *
 * Context: any; calls no function outside this file except memcpy and its like.
 */
int spoor_toml_next(struct spoor_toml *toml, struct spoor_toml_pair *pair);

#endif
