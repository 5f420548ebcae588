/* SPDX-License-Identifier: MIT */
/* kept_entries.h - makes entries of the function table as globals that refer to their functions. */
#ifndef SPOOR_KEPT_ENTRIES_H
#define SPOOR_KEPT_ENTRIES_H

#include <llvm-c/Core.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_entries {
	LLVMModuleRef module;
	const char *section;
	/* Values that the compiler must keep: entries, aliases, functions. */
	LLVMValueRef *used;
	size_t used_count, used_room;
	/* Functions that had an entry when this was opened, sorted for bsearch. */
	struct kept_entry *known;
	size_t known_count;
};

struct kept_entry {
	LLVMValueRef function;
	uint32_t unit, position;
};

/* Returns 0, or -ENOMEM. Close the entries in both cases. @section stays valid until then. */
int kept_entries_open(struct kept_entries *entries, LLVMModuleRef module, const char *section);

/* The entry that @function had when @entries was opened, or null. */
const struct kept_entry *kept_entries_find(const struct kept_entries *entries, LLVMValueRef function);

/* Returns 0, or -ENOMEM. */
int kept_entries_add(struct kept_entries *entries, LLVMValueRef function, uint32_t unit,
		     uint32_t position);

/* Makes the compiler keep the added values. Returns 0, or -ENOMEM. */
int kept_entries_commit(struct kept_entries *entries);

void kept_entries_close(struct kept_entries *entries);

#endif
