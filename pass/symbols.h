/* SPDX-License-Identifier: MIT */
/* symbols.h - writes the descriptions of a unit's functions (symbols.proto) to a file and to the object file. */
#ifndef SPOOR_PASS_SYMBOLS_H
#define SPOOR_PASS_SYMBOLS_H

#include "pass/description.h"
#include "pass/options.h"

#include <stdbool.h>

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
 * symbols_embed - adds the functions with in_section to the unit's object file, as .spoor_symbols.
 *
 * The section is not loaded with the program. It contains a creation time only if
 * SOURCE_DATE_EPOCH is set, so that the same source gives the same bytes.
 *
 * Returns 0, or -ENOMEM.
 */
int symbols_embed(const struct symbols *symbols, LLVMModuleRef module);

void symbols_end(struct symbols *symbols);

#endif
