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
#include "format/registration.h"

struct spoor_instance;

#define SPOOR_HOOKED_CACHE 1024u

struct spoor_hooked {
	struct spoor_hooked *next;	/* in its chain */
	struct spoor_hooked *older;	/* among all */
	/* As the dynamic loader says; object is null where it is not loaded any more. */
	uintptr_t low, high;
	const void *object, *table;
	uint64_t load_bias;
	/* What tells it from another one in its place: its build-id, or else its file's name. */
	const uint8_t *build_id_at;	/* in its own memory, within the first page; null: none there */
	const char *name;		/* as the dynamic loader has it */

	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	uint32_t build_id_bytes;

	struct spoor_instance *instance;	/* null: it stays untraced */
	uint32_t count;
	uint32_t *functions;		/* virtual addresses, ascending */
	struct spoor_dso dso;		/* as if it had registered, */
	void *slots[SPOOR_THUNK_COUNT];	/* ... and had thunks */
	bool to_tell;			/* it is gone, and the handler library does not know */
	/* Found before: the virtual address in the upper half, the local ID + 1 below. */
	uint64_t cache[SPOOR_HOOKED_CACHE];
};

/*
 * spoor_hooked_find - the module that has the code at @address.
 *
 * Makes it known, if it is not yet. Return: null where it cannot be traced.
 * Context: any; at a module's first call on a stack of our own.
 */
struct spoor_hooked *spoor_hooked_find(uintptr_t address);

/* Whether a function of the module's begins at @address. Any context. */
bool spoor_hooked_begins(struct spoor_hooked *module, uintptr_t address, uint32_t *local);

/* Fills in which of the module's functions are told of by their hooks: those that have no sleds as well. Under the
 * registry's lock. */
void spoor_hooked_choose(struct spoor_instance *instance);

/* Makes the module's functions agree with @target, bits by local ID, null: none. Return: how
 * many changed. Under the registry's lock. */
long spoor_hooked_apply(struct spoor_instance *instance, const uint64_t *target);

#endif
