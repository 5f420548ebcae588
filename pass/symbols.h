/* SPDX-License-Identifier: MIT */
/* symbols.h - the file that describes a unit's functions (symbols.proto). */
#ifndef SPOOR_PASS_SYMBOLS_H
#define SPOOR_PASS_SYMBOLS_H

#include "description.h"
#include "options.h"

#include <stdbool.h>

struct symbols {
	const char *module_id;
	int64_t created_s;
	int32_t created_ns;
	struct symbol *list;
	size_t count, room;
};

/*
 * symbols_begin - of now, or of the time that SOURCE_DATE_EPOCH says.
 * @module_id: lives as long
 *
 * Return: 0, or -EINVAL where SOURCE_DATE_EPOCH is no number of seconds.
 */
int symbols_begin(struct symbols *symbols, const char *module_id);

/*
 * symbols_add - adds a function; what is in @description is the symbols' then.
 * @id:     the unit's in the upper half, the function's position below
 * @reason: static, or lives as long; null for none
 *
 * Return: 0 or -ENOMEM.
 */
int symbols_add(struct symbols *symbols, uint64_t id, struct description *description, bool instrumented,
		const char *reason);

/* Return: 0, or a negative errno. */
int symbols_write(const struct symbols *symbols, const char *path);

void symbols_end(struct symbols *symbols);

#endif
