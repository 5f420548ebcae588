/* SPDX-License-Identifier: MIT */
/*
 * symbol_cache.h - one symbol_file for each different module of a trace,
 * whatever number of processes and instances it has.
 */
#ifndef SPOOR_READER_SYMBOL_CACHE_H
#define SPOOR_READER_SYMBOL_CACHE_H

#include "reader/files/process.h"
#include "reader/symbols/symbol_file.h"

struct symbol_cache {
	const char *packed;	/* the folder of such files in the trace whose processes are opened; null: none */
	struct symbol_file **files;
	size_t count;
	bool demangle;
};

/*
 * symbol_cache_find - the symbols of @module, which are not read before the first name is asked for.
 *
 * Return: 0 or -ENOMEM.
 */
int symbol_cache_find(struct symbol_cache *cache, const struct module *module, struct symbol_file **file);
void symbol_cache_free(struct symbol_cache *cache);

#endif
