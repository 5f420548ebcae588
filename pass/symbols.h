/* SPDX-License-Identifier: MIT */
/* symbols.h - what describes a unit's functions (symbols.proto): a file, and a section of the object file. */
#ifndef SPOOR_PASS_SYMBOLS_H
#define SPOOR_PASS_SYMBOLS_H

#include "pass/description.h"
#include "pass/options.h"

#include <stdbool.h>

struct symbol {
	uint64_t id;		/* the unit's in the upper half, the function's position below */
	struct description description;
	bool instrumented;
	bool in_section;	/* as one of the object file's own functions */
	bool has_loop;
	bool ruled;		/* by filters, be there any or not */
	const char *reason;	/* null for none; lives as long */
};

struct symbols {
	const char *module_id, *source_file;
	bool time_is_said;	/* and is not simply now */
	int64_t created_s;
	int32_t created_ns;
	struct symbol *list;
	size_t count, room;
};

/*
 * symbols_begin - of now, or of the time that SOURCE_DATE_EPOCH says.
 * @module_id:   lives as long
 * @source_file: of the unit, for functions that say none; lives as long
 *
 * Return: 0, or -EINVAL where SOURCE_DATE_EPOCH is no number of seconds.
 */
int symbols_begin(struct symbols *symbols, const char *module_id, const char *source_file);

/* Adds a function; what is in its description is the symbols' then. Return: 0 or -ENOMEM. */
int symbols_add(struct symbols *symbols, struct symbol *symbol);

/* Return: 0, or a negative errno. */
int symbols_write(const struct symbols *symbols, const char *path);

/*
 * symbols_embed - adds those that are for the section to a unit's object file, as .spoor_symbols.
 *
 * The section is not loaded with the program. A creation time is there only if
 * SOURCE_DATE_EPOCH says it: the same source gives the same bytes.
 *
 * Return: 0 or -ENOMEM.
 */
int symbols_embed(const struct symbols *symbols, LLVMModuleRef module);

void symbols_end(struct symbols *symbols);

#endif
