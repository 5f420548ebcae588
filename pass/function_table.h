/* SPDX-License-Identifier: MIT */
/* function_table.h - a unit's part of its module's function table. */
#ifndef SPOOR_FUNCTION_TABLE_H
#define SPOOR_FUNCTION_TABLE_H

#include "pass/kept_entries.h"

#include <llvm-c/Core.h>

#include <stdbool.h>
#include <stdint.h>

struct function_table {
	LLVMModuleRef module;
	uint32_t unit;
	bool by_metadata;	/* or else, as kept entries */
	struct kept_entries entries;
};

/*
 * function_table_open - begins to add entries to what @module has from an earlier run.
 * @unit: the ID of what is added
 *
 * Return: 0 or -ENOMEM. Close it in both cases.
 */
int function_table_open(struct function_table *table, LLVMModuleRef module, uint32_t unit);

/*
 * function_table_find - the entry that @function has from an earlier run.
 * @id: takes its ID, unit and position, if it has one
 */
bool function_table_find(const struct function_table *table, LLVMValueRef function, uint64_t *id);

/* The ID of the one unit that the entries of @module are of; 0 where there are none, or several units'. */
uint32_t function_table_unit(LLVMModuleRef module);

/*
 * function_table_add - gives a function its entry.
 * @position: in the unit
 * @flags:    enum spoor_function_flags
 *
 * Return: 0, -ENOMEM, or -ERANGE for a position that is too large.
 */
int function_table_add(struct function_table *table, LLVMValueRef function, uint32_t position,
		       uint32_t flags);

/* The same, and keeps the function, though it be inlined everywhere. */
int function_table_add_kept(struct function_table *table, LLVMValueRef function, uint32_t position);

/* Makes the compiler keep what was added. Return: 0 or -ENOMEM. */
int function_table_commit(struct function_table *table);

void function_table_close(struct function_table *table);

#endif
