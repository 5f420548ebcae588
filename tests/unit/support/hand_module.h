/* SPDX-License-Identifier: MIT */
/*
 * hand_module.h - a module made by hand: pages of text with sleds in them, and
 * their map and function table beside it, in memory of no file.
 *
 * Its functions can be called: int f(void), with an entry and an exit sled. The
 * thunks count what reaches them and lead straight back.
 */
#ifndef HAND_MODULE_H
#define HAND_MODULE_H

#include "module/registry.h"

#include HAND_CODE_HEADER

#define HAND_FUNCTIONS_MAX 4096u
#define HAND_SLEDS_MAX 8192u

struct hand_module {
	uint8_t *text;
	size_t text_bytes;
	struct hand_data *data;
	uint32_t function_count, sled_count;
	struct spoor_dso *dso;		/* lies in the module's memory */
	struct spoor_sleds sleds;	/* as the registry would have begun them; base is the test's */
};

/* @pages: of text. The text may be written to until hand_module_finish. */
void hand_module_begin(struct hand_module *module, size_t pages);

/* Adds to the function table and to the sled map; addresses are offsets into the text. */
void hand_module_function(struct hand_module *module, uint32_t at);
struct spoor_sled *hand_module_sled(struct hand_module *module, uint8_t kind, uint32_t at, uint32_t function);

/* Says of the last one of the table that its entry is not in the map. @flags: of its entry */
void hand_module_flags(struct hand_module *module, uint32_t flags);

/* Whole functions with their sleds, HAND_FUNCTION_BYTES apart from @at on. The entry of every
 * second one is not in the map. */
void hand_module_functions(struct hand_module *module, uint32_t at, uint32_t count);

/* Gives the module a build-id, and its header in memory. */
void hand_module_build_id(struct hand_module *module, const void *build_id, uint32_t bytes);

/* Makes page number @page of its text belong to no segment. */
void hand_module_hole(struct hand_module *module, size_t page);

/* Its thunks lead where the slots point, as the stub's do: its functions log. */
void hand_module_log(struct hand_module *module);

/* The text is closed; dso and instance are whole. */
void hand_module_finish(struct hand_module *module);
void hand_module_end(struct hand_module *module);

/* Where function @local of hand_module_functions is. */
uint8_t *hand_module_at(const struct hand_module *module, uint32_t local);

/* Calls it. Return: how often a counting thunk was reached. */
uint64_t hand_module_call(struct hand_module *module, uint32_t local);

/* A page's rights, as /proc/self/maps has them: "r-xp". */
const char *hand_module_rights(const void *address);

#endif
