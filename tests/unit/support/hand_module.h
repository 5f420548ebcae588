/* SPDX-License-Identifier: MIT */
/*
 * hand_module.h - makes a module in memory without a file: pages of text with sleds,
 * a sled map, and a function table.
 *
 * The functions can be called: int f(void), with an entry and an exit sled. The
 * thunks count the calls that reach them, and return.
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
	struct spoor_dso *dso;		/* in the module's memory */
	struct spoor_sleds sleds;	/* as the registry would begin them; the test sets base */
};

/* Begins a module with @pages pages of text. The text is writable until hand_module_finish. */
void hand_module_begin(struct hand_module *module, size_t pages);

/* Two functions that add entries to the function table and to the sled map. Addresses are offsets into the text. */
void hand_module_function(struct hand_module *module, uint32_t at);
struct spoor_sled *hand_module_sled(struct hand_module *module, uint8_t kind, uint32_t at, uint32_t function);

/* Sets the flags of the last entry in the function table. */
void hand_module_flags(struct hand_module *module, uint32_t flags);

/* Adds @count whole functions with their sleds from @at on, HAND_FUNCTION_BYTES apart. The entry sleds of every
 * second function are not in the map. */
void hand_module_functions(struct hand_module *module, uint32_t at, uint32_t count);

/* Gives the module a build-id, and its header in memory. */
void hand_module_build_id(struct hand_module *module, const void *build_id, uint32_t bytes);

/* Removes page @page of the text from all segments. */
void hand_module_hole(struct hand_module *module, size_t page);

/* Makes the thunks jump through the slots, as the stub's thunks do, so that the functions log. */
void hand_module_log(struct hand_module *module);

/* Makes the text read-only, and completes dso and instance. */
void hand_module_finish(struct hand_module *module);
void hand_module_end(struct hand_module *module);

/* Returns the address of function @local, which hand_module_functions added. */
uint8_t *hand_module_at(const struct hand_module *module, uint32_t local);

/* Calls function @local. Returns how often its thunks were reached. */
uint64_t hand_module_call(struct hand_module *module, uint32_t local);

/* Returns a page's rights as in /proc/self/maps: "r-xp". */
const char *hand_module_rights(const void *address);

#endif
