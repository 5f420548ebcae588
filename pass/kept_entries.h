/* SPDX-License-Identifier: MIT */
/* kept_entries.h - entries of the function table as globals that refer to their functions. */
#ifndef SPOOR_KEPT_ENTRIES_H
#define SPOOR_KEPT_ENTRIES_H

#include <llvm-c/Core.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_entries {
	LLVMModuleRef module;
	const char *section;
	/* What the compiler must keep: entries, aliases, functions. */
	LLVMValueRef *used;
	size_t used_count, used_room;
	/* Functions that had an entry when this was opened, sorted. */
	struct kept_entry *known;
	size_t known_count;
};

struct kept_entry {
	LLVMValueRef function;
	uint32_t unit, position;
};

/* Return: 0 or -ENOMEM. Close it in both cases. @section lives as long. */
int kept_entries_open(struct kept_entries *entries, LLVMModuleRef module, const char *section);

/* The entry that @function had when @entries was opened, or null. */
const struct kept_entry *kept_entries_find(const struct kept_entries *entries, LLVMValueRef function);

/* Return: 0 or -ENOMEM. */
int kept_entries_add(struct kept_entries *entries, LLVMValueRef function, uint32_t unit,
		     uint32_t position);

/* Makes the compiler keep what was added. Return: 0 or -ENOMEM. */
int kept_entries_commit(struct kept_entries *entries);

void kept_entries_close(struct kept_entries *entries);

#endif
