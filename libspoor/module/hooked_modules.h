/* SPDX-License-Identifier: MIT */
/*
 * hooked_modules.h - modules whose functions call hooks: -finstrument-functions of GCC, clang
 * and others inserts such calls instead of sleds.
 *
 * Such a module has no function table and no stub that registers it. Its first call makes it
 * known, and its functions come from its unwind table, which strip never removes: local
 * function ID N is entry N. A closed module is noticed when another module is added.
 */
#ifndef SPOOR_HOOKED_MODULES_H
#define SPOOR_HOOKED_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_image.h"
#include "event/hook_path.h"
#include "module/registry.h"

#define SPOOR_HOOKED_CACHE 1024u

struct spoor_hooked {
	struct spoor_hooked_code code;		/* read by events; must be first, because dso->first_runs points to
						 * it */
	struct spoor_hooked *next;	/* in the same chain */
	struct spoor_hooked *older;	/* in the list of all modules */
	/* From the dynamic loader; object is null while the module is not loaded. */
	uintptr_t low, high;
	const void *object, *table;
	/* The build-id, or else the file's name, tells the module from a different one at the same place. */
	const uint8_t *build_id_at;	/* in the module's first page; null if that page has no build-id */
	const char *name;		/* as the dynamic loader spells it */

	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	uint32_t build_id_bytes;

	struct spoor_instance *instance;	/* null if the module stays untraced */
	struct spoor_dso dso;		/* a registration in the module's name, with the slots of `code` */
	bool warned;			/* of code without unwind entries */
	bool removal_pending;			/* it was closed, and its observers have to be called */
	/* Cache of found functions: the virtual address in the upper half, the local ID + 1 in the lower half. */
	uint64_t cache[SPOOR_HOOKED_CACHE];
};

/*
 * spoor_hooked_find - finds the module that has the code at @address, and adds it if it is new.
 * @begin: starts the runtime; called before a module is added, with no lock held. If it returns a negative
 *         value, no module is ever added. Null if the runtime has certainly started
 *
 * Returns the module, or null if it cannot be traced.
 *
 * Context: any. At a module's first call, runs on spoor's own stack.
 */
struct spoor_hooked *spoor_hooked_find(uintptr_t address, int (*begin)(void));

/* Returns the module of an instance; null if it is not loaded, or has no hooks. */
struct spoor_hooked *spoor_hooked_of(const struct spoor_instance *instance);

/* From now on, no module of this process is added. */
void spoor_hooked_give_up(void);

/* Sets the bits of the functions whose hooks report events: all functions without sleds. Under
 * the registry's lock. */
void spoor_hooked_choose(struct spoor_instance *instance);

/* Wakes the functions in @target (bits by local ID; null: none) and makes the others dormant. Returns how many
 * changed. Under the registry's lock. */
long spoor_hooked_apply(struct spoor_sleds *sleds, const uint64_t *target);

#endif
