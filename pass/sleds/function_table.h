/* SPDX-License-Identifier: MIT */
/* function_table.h - adds a unit's functions to the function table of its module. */
#ifndef SPOOR_FUNCTION_TABLE_H
#define SPOOR_FUNCTION_TABLE_H

#include "pass/sleds/kept_entries.h"

#include <llvm-c/Core.h>

#include <stdbool.h>
#include <stdint.h>

struct function_table {
	LLVMModuleRef module;
	uint32_t unit;
	bool by_metadata;	/* else by kept entries */
	struct kept_entries entries;
};

/*
 * function_table_open - prepares to add entries; @module may have some from an earlier run.
 * @unit: ID of the new entries' unit
 *
 * Returns 0, or -ENOMEM. Close the table in both cases.
 */
int function_table_open(struct function_table *table, LLVMModuleRef module, uint32_t unit);

/*
 * function_table_find - finds the entry that @function has from an earlier run.
 * @id: set to the entry's unit and position
 *
 * Returns whether there is one.
 */
bool function_table_find(const struct function_table *table, LLVMValueRef function, uint64_t *id);

/* The unit ID of all entries of @module; 0 if there are no entries, or they are from several units. */
uint32_t function_table_unit(LLVMModuleRef module);

/*
 * function_table_add - adds a function's entry.
 * @position: in the unit
 * @flags:    enum spoor_function_flags
 *
 * Returns 0, -ENOMEM, or -ERANGE for a position that is too large.
 */
int function_table_add(struct function_table *table, LLVMValueRef function, uint32_t position,
		       uint32_t flags);

/* The same, and keeps the function even if it is inlined everywhere. */
int function_table_add_kept(struct function_table *table, LLVMValueRef function, uint32_t position);

/* Makes the compiler keep the added entries. Returns 0, or -ENOMEM. */
int function_table_commit(struct function_table *table);

void function_table_close(struct function_table *table);

#endif
