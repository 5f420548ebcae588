/* SPDX-License-Identifier: MIT */
/*
 * hooked_modules.h - modules whose functions call hooks: what -finstrument-functions of GCC,
 * clang and others does in the place of sleds.
 *
 * Such a module has no function table and nobody who registers it. It becomes known with
 * its first call, and its functions are those of its unwind table, which no strip takes
 * away: local function ID N is entry N. Closed modules are noticed when others come.
 */
#ifndef SPOOR_HOOKED_MODULE_H
#define SPOOR_HOOKED_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_image.h"
#include "event/hook_path.h"
#include "module/registry.h"

#define SPOOR_HOOKED_CACHE 1024u

struct spoor_hooked {
	struct spoor_hooked_code code;		/* what events read; first, for dso->first_runs leads to it */
	struct spoor_hooked *next;	/* in its chain */
	struct spoor_hooked *older;	/* among all */
	/* As the dynamic loader says; object is null where it is not loaded any more. */
	uintptr_t low, high;
	const void *object, *table;
	/* What tells it from another one in its place: its build-id, or else its file's name. */
	const uint8_t *build_id_at;	/* in its own memory, within the first page; null: none there */
	const char *name;		/* as the dynamic loader has it */

	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	uint32_t build_id_bytes;

	struct spoor_instance *instance;	/* null: it stays untraced */
	struct spoor_dso dso;		/* as if it had registered, with the slots of `code` */
	bool to_tell;			/* it is gone, and observers are to be told */
	/* Found before: the virtual address in the upper half, the local ID + 1 below. */
	uint64_t cache[SPOOR_HOOKED_CACHE];
};

/*
 * spoor_hooked_find - the module that has the code at @address.
 * @begin: called before a module is added, with no lock held; negative: no module ever is. Null where the runtime has
 *         begun for sure
 *
 * Makes it known, if it is not yet. Return: null where it cannot be traced.
 * Context: any; at a module's first call on a stack of our own.
 */
struct spoor_hooked *spoor_hooked_find(uintptr_t address, int (*begin)(void));

/* No module of this process is added from here on. */
void spoor_hooked_give_up(void);

/* Whether a function of the module's begins at @address. Any context. */
bool spoor_hooked_begins(struct spoor_hooked *module, uintptr_t address, uint32_t *local);

/* Fills in which of the module's functions are told of by their hooks: those that have no sleds as well. Under the
 * registry's lock. */
void spoor_hooked_choose(struct spoor_instance *instance);

/* Makes the module's functions agree with @target, bits by local ID, null: none. Return: how
 * many changed. Under the registry's lock. */
long spoor_hooked_apply(struct spoor_sleds *sleds, const uint64_t *target);

#endif
