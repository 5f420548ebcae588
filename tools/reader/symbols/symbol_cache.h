/* SPDX-License-Identifier: MIT */
/*
 * symbol_cache.h - keeps one symbol_file for each different module of a trace, for all its processes
 * and instances.
 */
#ifndef SPOOR_READER_SYMBOL_CACHE_H
#define SPOOR_READER_SYMBOL_CACHE_H

#include "reader/files/process.h"
#include "reader/symbols/symbol_file.h"

struct symbol_cache {
	const char *packed;	/* the folder of packed symbols of the current trace; null: none */
	struct symbol_file **files;
	size_t count;
	bool demangle;
};

/*
 * symbol_cache_find - finds or adds the symbols of @module. They are read when the first name is
 * needed.
 *
 * Returns 0 or -ENOMEM.
 */
int symbol_cache_find(struct symbol_cache *cache, const struct module *module, struct symbol_file **file);
void symbol_cache_free(struct symbol_cache *cache);

#endif
