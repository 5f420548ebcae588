/* SPDX-License-Identifier: MIT */
/*
 * symbol_file.h - the names of one module's functions, from its ELF file.
 *
 * The section spoor_functions, or of a module with hooks the unwind table, says where function
 * number N begins, .spoor_symbols what the pass knew of it, and the symbol table, where that was stripped, what is
 * there. A file that is not the one that ran (another build-id, another function
 * table) names nothing: a wrong name is worse than none.
 *
 * What names look like
 *   foo(int)                 demangled, or the linkage name where that is asked for
 *   foo                      a linkage name that is not mangled
 *   libfoo.so+0x1234         stripped: the function's address in the file
 *   libfoo.so[mismatch]+#12  the file is another build now
 *   libfoo.so[missing]+#12   the file is not there, or no ELF file with a function table
 *
 * A packed trace has such a file of its own, which is asked first (symbol_pack.h). What is not
 * there, or another build, is looked for elsewhere, and so is what was stripped (debug_files.h).
 */
#ifndef SPOOR_READER_SYMBOL_FILE_H
#define SPOOR_READER_SYMBOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/files/map64.h"

struct unit_symbol;

struct symbol_file {
	/* What the trace says. */
	char *path, *shown_path;
	char *packed;			/* where the trace would have a file of its own; null: nowhere */
	char *library;			/* soname, or the file's name */
	uint8_t *build_id;
	uint32_t build_id_bytes;
	uint32_t module_id;
	uint32_t count;			/* of functions */
	uint32_t number;		/* among the files of the cache, */
	uint32_t build;			/* ... and that of the first one that is the same build, */
	struct symbol_file *same_build;	/* ... all of which are a ring: one has the names if another is gone */
	bool demangle;
	bool hooked;			/* the functions are those of its unwind table */

	/* What the file says; read when first asked for. */
	bool read;
	bool is_being_read;
	char *source;			/* `packed`, `path` or where else it was found */
	const char *fault;		/* "mismatch", "missing"; null: names are good */
	struct function_address *addresses;	/* in the order of addresses */
	const char **linkage;		/* by local function ID; null: no symbol */
	uint64_t *virtual;		/* address by local function ID */
	uint64_t *keys;			/* of what the pass said, by local function ID */
	struct unit_symbols *described;	/* null: it says nothing */
	struct function_constant *constants;	/* in the order of what injected calls carry */
	bool *linkage_kept;		/* whether it is ours, or the ELF file's while that is read */
	bool *named_apart;		/* by debug information, or by a debug file */
	bool debug_sought;		/* its debug file, in directories (debug_files.h); */
	enum { SERVERS_NOT_ASKED, SERVERS_ASKED, SERVERS_HAVE_NONE } debug_servers;
	char *debug_path;		/* ... null: it was not found */
	struct symbol_places *places;	/* symbol_places.h; null until they are read */

	/* Names as shown, made when first asked for. A trace may claim any number of functions. */
	struct map64 name_of;		/* positions in names, from 1, by local function ID */
	char **names;
	uint32_t name_count, name_capacity;
};

struct symbol_file *symbol_file_new(const char *path, const char *soname, const uint8_t *build_id,
				    uint32_t build_id_bytes, uint32_t module_id, uint32_t count, bool demangle);
void symbol_file_free(struct symbol_file *file);

/*
 * symbol_file_name - what function @local is called when shown.
 *
 * Says once what is wrong with the file. Return: the file's; never null.
 */
const char *symbol_file_name(struct symbol_file *file, uint32_t local);

/* symbol_file_check - reads it. Return: whether its names are good; if not, why has been said. */
bool symbol_file_check(struct symbol_file *file);

/* Its linkage name, or null where it is not known. */
const char *symbol_file_linkage(struct symbol_file *file, uint32_t local);

/* What the pass said of it, or null where that is not known, or not sure. */
const struct unit_symbol *symbol_file_described(struct symbol_file *file, uint32_t local);

/* What an injected call carries: the ID of its unit, and the function's position in that. */
struct function_constant {
	uint64_t constant;
	uint32_t local;
};

/*
 * symbol_file_find - the function with this constant.
 *
 * Return: whether the file has one; the first of several, which were copied.
 */
bool symbol_file_find(struct symbol_file *file, uint64_t constant, uint32_t *local);

/*
 * symbol_file_load - reads the names of @file from the ELF file @fd, which `source` names.
 *
 * Return: null, or what is wrong with it, a sentence without its end.
 */
const char *symbol_file_load(struct symbol_file *file, int fd);

#endif
