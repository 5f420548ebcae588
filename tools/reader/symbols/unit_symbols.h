/* SPDX-License-Identifier: MIT */
/*
 * unit_symbols.h - what the pass has said of functions (libspoor/format/symbols.proto).
 *
 * Of one key there may be several descriptions: one source that was compiled
 * twice has the same ones, and those of different functions are a clash.
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
	uint64_t key;			/* the unit's ID in the upper half, the position in it below */
	size_t order;			/* of the input */
	const Spoor__FunctionInfo *info;	/* texts may be null */
	/* Once they are sorted: */
	size_t same_key;		/* descriptions of its key, from this one on */
	bool clash;			/* they are of different functions */
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

/* Puts them in order, each only once: when a description was made makes no other of it. */
void unit_symbols_sort(struct unit_symbols *symbols);
void unit_symbols_free(struct unit_symbols *symbols);

/* The first description of @key once they are sorted, or null. */
const struct unit_symbol *unit_symbols_find(const struct unit_symbols *symbols, uint64_t key);

/* A text that may be null. */
static inline const char *unit_symbol_text(const char *text)
{
	return text ? text : "";
}

/* What it is called when shown. */
static inline const char *unit_symbol_name(const Spoor__FunctionInfo *info)
{
	const char *demangled = unit_symbol_text(info->demangled_name);

	return *demangled ? demangled : unit_symbol_text(info->linkage_name);
}

#endif
