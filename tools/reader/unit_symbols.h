/* SPDX-License-Identifier: MIT */
/*
 * unit_symbols.h - what the pass has said of functions (pass/symbols.proto).
 *
 * Of one key there may be several descriptions: one source that was compiled
 * twice has the same ones, and those that differ are a clash.
 */
#ifndef SPOOR_READER_UNIT_SYMBOLS_H
#define SPOOR_READER_UNIT_SYMBOLS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols.pb-c.h"

#define UNIT_SYMBOLS_SECTION ".spoor_symbols"

struct unit_symbol {
	uint64_t key;			/* the unit's ID in the upper half, the position in it below */
	size_t order;			/* of the input */
	const Spoor__FunctionInfo *info;	/* texts may be null */
};

struct unit_symbols {
	struct unit_symbol *list;	/* in the order of keys; of one key, in that of the input */
	size_t count, capacity;
	Spoor__Symbols **messages;
	size_t message_count;
};

/*
 * unit_symbols_add - adds what a message says.
 *
 * Return: 0, -EBADMSG where it is none, or -ENOMEM. Sort them when all are there.
 */
int unit_symbols_add(struct unit_symbols *symbols, const uint8_t *bytes, size_t size);

/* Adds what the section of an ELF file says. Return: 1 where it has one, 0, or as above. */
int unit_symbols_add_elf(struct unit_symbols *symbols, Elf *elf);

/*
 * unit_symbols_add_file - adds what a symbols file says, or an ELF file or archive with sections.
 *
 * Return: null, or what is wrong with it, a sentence without its end.
 */
const char *unit_symbols_add_file(struct unit_symbols *symbols, const char *path);

void unit_symbols_sort(struct unit_symbols *symbols);
void unit_symbols_free(struct unit_symbols *symbols);

/* The first description of @key, and how many there are; null for none. */
const struct unit_symbol *unit_symbols_find(const struct unit_symbols *symbols, uint64_t key, size_t *count);

/* How many descriptions from @first on are of its key. */
size_t unit_symbols_same_key(const struct unit_symbols *symbols, size_t first);

/* Whether @count descriptions of one key are of different functions. */
bool unit_symbols_clash(const struct unit_symbol *symbols, size_t count);

/* A text that may be null. */
static inline const char *unit_symbol_text(const char *text)
{
	return text ? text : "";
}

#endif
