/* SPDX-License-Identifier: MIT */
/*
 * symbol_file.h - finds the names of one module's functions in its ELF file.
 *
 * The section spoor_functions, or the unwind table of a module with hooks, gives the begin of each
 * function by its number. .spoor_symbols contains what the pass recorded about it. The symbol table
 * has its name, unless it was stripped. A file that is not the one that ran (another build-id, another
 * function table) names no function, because a wrong name is worse than none.
 *
 * Names look like this:
 *   foo(int)                 demangled, or the linkage name if requested
 *   foo                      a linkage name that is not mangled
 *   libfoo.so+0x1234         stripped: the function's address in the file
 *   libfoo.so[mismatch]+#12  the file is another build now
 *   libfoo.so[missing]+#12   there is no file, or no ELF file with a function table
 *
 * A trace usually contains its own file, which is tried first (symbol_pack.h). For a missing, different
 * or stripped file, other places are searched (debug_files.h).
 */
#ifndef SPOOR_READER_SYMBOL_FILE_H
#define SPOOR_READER_SYMBOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/files/map64.h"

struct unit_symbol;

struct symbol_file {
	/* From the trace. */
	char *path, *shown_path;
	char *packed;			/* path of the trace's own file; null: none */
	char *library;			/* soname, or the file's name */
	uint8_t *build_id;
	uint32_t build_id_bytes;
	uint32_t module_id;
	uint32_t count;			/* number of functions */
	uint32_t number;		/* position among the files of the cache, */
	uint32_t build;			/* ... and the position of the first file of the same build, */
	struct symbol_file *same_build;	/* ... all of which form a ring: one has the names if another is gone */
	struct symbol_file *rest;	/* for functions that `packed` does not have (symbol_subset.h); null: none */
	uint64_t *wanted;		/* functions that occur in the trace, for symbol_pack.h; null: all */
	uint64_t *variables;		/* addresses in the file of variables that occur, for the same */
	size_t variable_count;
	bool demangle;
	bool hooked;			/* its functions come from the unwind table, */
	bool by_symbol;			/* ... or are its dynamic symbols: a library whose calls were recorded */

	/* From the file; read when first needed. */
	bool read;
	bool is_being_read;
	char *source;			/* `packed`, `path` or where else it was found */
	const char *fault;		/* "mismatch", "missing"; null: names are good */
	struct function_address *addresses;	/* sorted by address */
	const char **linkage;		/* by local function ID; null: no symbol */
	uint64_t *stored;		/* functions that the file has (symbol_subset.h); null: all */
	uint64_t *virtual;		/* virtual addresses by local function ID */
	uint64_t *keys;			/* keys of `described`, by local function ID */
	struct unit_symbols *described;	/* null: the file has no descriptions */
	struct function_constant *constants;	/* sorted by constant */
	bool *linkage_kept;		/* the name was copied; else it belongs to the ELF file being read */
	bool *named_apart;		/* the name came from debug information or a debug file */
	bool debug_sought;		/* the debug directories were searched (debug_files.h); */
	enum { SERVERS_NOT_ASKED, SERVERS_ASKED, SERVERS_HAVE_NONE } debug_servers;
	char *debug_path;		/* ... null: no debug file was found */
	struct symbol_places *places;	/* symbol_places.h; null until they are read */

	struct symbol_short_names *short_names;	/* symbol_short_names.h; null until they are needed */
	struct symbol_types *types;	/* types/symbol_types.h; null until they are needed */

	/* Shown names, made when first needed, because a trace may claim any number of functions. */
	struct map64 name_of;		/* positions in names, from 1, by local function ID */
	char **names;
	uint32_t name_count, name_capacity;
};

struct symbol_file *symbol_file_new(const char *path, const char *soname, const uint8_t *build_id,
				    uint32_t build_id_bytes, uint32_t module_id, uint32_t count, bool demangle);
void symbol_file_free(struct symbol_file *file);

/*
 * symbol_file_name - returns the shown name of function @local.
 *
 * Prints one message if the file is wrong. The string belongs to @file and is never null.
 */
const char *symbol_file_name(struct symbol_file *file, uint32_t local);

/* symbol_file_check - reads the file. Returns whether its names are good; if not, after a message. */
bool symbol_file_check(struct symbol_file *file);

/* Returns its linkage name, or null if unknown. */
const char *symbol_file_linkage(struct symbol_file *file, uint32_t local);

/* Returns the pass's record of it, or null if unknown or uncertain. */
const struct unit_symbol *symbol_file_described(struct symbol_file *file, uint32_t local);

/* The constant that injected calls pass: the ID of their unit, and the function's position in the unit. */
struct function_constant {
	uint64_t constant;
	uint32_t local;
};

/*
 * symbol_file_find - finds the function with this constant.
 *
 * Returns whether the file has one. Of several copies, @local is the first.
 */
bool symbol_file_find(struct symbol_file *file, uint64_t constant, uint32_t *local);

/*
 * symbol_file_load - reads the names of @file from the ELF file @fd, whose path is `source`.
 *
 * Returns null, or the error, without a full stop.
 */
const char *symbol_file_load(struct symbol_file *file, int fd);

#endif
