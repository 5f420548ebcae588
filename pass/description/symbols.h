/* SPDX-License-Identifier: MIT */
/* symbols.h - packs the descriptions of a unit's functions (symbols.proto), and writes them to a file. Needs no compiler. */
#ifndef SPOOR_PASS_SYMBOLS_H
#define SPOOR_PASS_SYMBOLS_H

#include "pass/description/description.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t id;		/* unit in the upper half, position in the unit in the lower half */
	struct description description;
	bool instrumented;
	bool in_section;	/* also described in the object file, as one of its own functions */
	bool has_loop;
	bool ruled;		/* decided by the filters, even if there are none */
	const char *reason;	/* null for none; valid as long as the symbols */
};

struct symbols {
	const char *module_id, *source_file;
	bool has_fixed_time;	/* by SOURCE_DATE_EPOCH; else the time is the current one */
	int64_t created_s;
	int32_t created_ns;
	struct symbol *list;
	size_t count, room;
};

/*
 * symbols_begin - sets the creation time to now, or to SOURCE_DATE_EPOCH if that is set.
 * @module_id:   must stay valid
 * @source_file: of the unit, for functions without their own; must stay valid
 *
 * Returns 0, or -EINVAL if SOURCE_DATE_EPOCH is not a number of seconds.
 */
int symbols_begin(struct symbols *symbols, const char *module_id, const char *source_file);

/* Adds a function, and takes over its description. Returns 0, or -ENOMEM. */
int symbols_add(struct symbols *symbols, struct symbol *symbol);

/* Writes all functions to a file. Returns 0, or a negative errno. */
int symbols_write(const struct symbols *symbols, const char *path);

/*
 * symbols_pack - packs all functions, or those with in_section for the unit's object file, as .spoor_symbols.
 * @bytes: set to the packed bytes; the caller frees them
 *
 * The section is not loaded with the program. It contains a creation time only if
 * SOURCE_DATE_EPOCH is set, so that the same source gives the same bytes.
 *
 * Returns 0, or -ENOMEM.
 */
int symbols_pack(const struct symbols *symbols, bool section, uint8_t **bytes, size_t *size);

void symbols_end(struct symbols *symbols);

#endif
