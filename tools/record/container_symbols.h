/* SPDX-License-Identifier: MIT */
/* container_symbols.h - names of functions from files that are others in a container than outside. */
#ifndef SPOOR_TOOLS_CONTAINER_SYMBOLS_H
#define SPOOR_TOOLS_CONTAINER_SYMBOLS_H

#include "reader/symbols/symbol_cache.h"

/* container_symbols_add - the modules of one process of the trace. */
void container_symbols_add(struct symbol_cache *modules, int trace, const char *trace_path, const char *folder);

/*
 * container_symbols_keep - puts into the trace what names the functions of these modules (symbol_pack.h).
 * @root: the directory that their paths begin at
 *
 * What is the same file outside is left out, and so is what is not there, or another build: readers
 * say that of it. What cannot be written is said.
 */
void container_symbols_keep(const struct symbol_cache *modules, const char *trace_path, int root);

#endif
