/* SPDX-License-Identifier: MIT */
/* function_table.h - a unit's part of its module's function table. */
#ifndef SPOOR_FUNCTION_TABLE_H
#define SPOOR_FUNCTION_TABLE_H

#include <llvm-c/Core.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table {
	LLVMModuleRef module;
	uint32_t unit;
	/* What the compiler must keep: entries and aliases. */
	LLVMValueRef *used;
	size_t used_count, used_room;
	/* Functions that had an entry when the table was opened, sorted. */
	LLVMValueRef *known;
	size_t known_count;
};

/*
 * function_table_open - finds the entries that @module has from an earlier run.
 * @unit: the ID of what is added
 *
 * Return: 0 or -ENOMEM. Close it in both cases.
 */
int function_table_open(struct function_table *table, LLVMModuleRef module, uint32_t unit);

bool function_table_has(const struct function_table *table, LLVMValueRef function);

/* Return: 0 or -ENOMEM. */
int function_table_add(struct function_table *table, LLVMValueRef function, uint32_t position,
		       uint32_t flags);

/* Makes the compiler keep what was added. Return: 0 or -ENOMEM. */
int function_table_commit(struct function_table *table);

void function_table_close(struct function_table *table);

#endif
