/* SPDX-License-Identifier: MIT */
/* container_symbols.h - keeps the names of functions from files that differ between a container and the outside. */
#ifndef SPOOR_TOOLS_CONTAINER_SYMBOLS_H
#define SPOOR_TOOLS_CONTAINER_SYMBOLS_H

#include "reader/symbols/symbol_cache.h"

/* container_symbols_add - adds the modules of one process of the trace. */
void container_symbols_add(struct symbol_cache *modules, int trace, const char *trace_path, const char *folder);

/*
 * container_symbols_keep - writes the names of these modules' functions to the trace (symbol_pack.h).
 * @root: the directory at which their paths begin
 *
 * Skips files that are the same outside. Also skips files that are missing or of another build, which
 * readers report. Prints a message about write errors.
 */
void container_symbols_keep(const struct symbol_cache *modules, const char *trace_path, int root);

#endif
