/* SPDX-License-Identifier: MIT */
/* symbol_types.h - finds the types of a module's functions, in its file or in its debug file. */
#ifndef SPOOR_READER_SYMBOL_TYPES_H
#define SPOOR_READER_SYMBOL_TYPES_H

#include "reader/symbols/symbol_file.h"
#include "reader/types/value_types.h"

/*
 * symbol_file_types - returns the types of function @local, or null if they are unknown.
 *
 * Reads them once, when first needed. They stay valid as long as @file. Any thread.
 */
const struct function_types *symbol_file_types(struct symbol_file *file, uint32_t local);

/* Called by symbol_file_free. */
void symbol_types_free(struct symbol_file *file);

#endif
