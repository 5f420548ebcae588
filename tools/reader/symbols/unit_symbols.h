/* SPDX-License-Identifier: MIT */
/*
 * unit_symbols.h - reads what the pass recorded about functions (libspoor/format/symbols.proto).
 *
 * A key may have several records. A source that was compiled twice has equal ones; records of
 * different functions are a clash.
 */
#ifndef SPOOR_READER_UNIT_SYMBOLS_H
#define SPOOR_READER_UNIT_SYMBOLS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/symbols.pb-c.h"

#define UNIT_SYMBOLS_SECTION ".spoor_symbols"

struct unit_symbol {
	uint64_t key;			/* the unit's ID in the upper half, the position in the unit in the lower */
	size_t order;			/* position in the input */
	const Spoor__FunctionInfo *info;	/* its strings may be null */
	/* After unit_symbols_sort: */
	size_t same_key;		/* number of records with this key, from this one on */
	bool clash;			/* they describe different functions */
};

struct unit_symbols {
	struct unit_symbol *list;	/* sorted by key; with equal keys, in the order of the input */
	size_t count, capacity;
	Spoor__Symbols **messages;
	size_t message_count;
};

/*
 * unit_symbols_add - adds the records of a message.
 *
 * Returns 0, -EBADMSG if it is invalid, or -ENOMEM. Call unit_symbols_sort after the last one.
 */
int unit_symbols_add(struct unit_symbols *symbols, const uint8_t *bytes, size_t size);

/* Adds the records in a section of an ELF file. Returns 1 if it has that section, 0 if not, or an error as above. */
int unit_symbols_add_elf(struct unit_symbols *symbols, Elf *elf);

/*
 * unit_symbols_add_file - adds the records of a symbols file, or of an ELF file or archive with such
 * sections.
 *
 * Returns null, or the error, without a full stop.
 */
const char *unit_symbols_add_file(struct unit_symbols *symbols, const char *path);

/* Sorts the records and removes duplicates. Records that differ only in their time are duplicates. */
void unit_symbols_sort(struct unit_symbols *symbols);
void unit_symbols_free(struct unit_symbols *symbols);

/* Returns the first record of @key after sorting, or null. */
const struct unit_symbol *unit_symbols_find(const struct unit_symbols *symbols, uint64_t key);

/* Returns the string, or "" for null. */
static inline const char *unit_symbol_text(const char *text)
{
	return text ? text : "";
}

/* Returns the shown name. */
static inline const char *unit_symbol_name(const Spoor__FunctionInfo *info)
{
	const char *demangled = unit_symbol_text(info->demangled_name);

	return *demangled ? demangled : unit_symbol_text(info->linkage_name);
}

#endif
