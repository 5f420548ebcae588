/* SPDX-License-Identifier: MIT */
/*
 * registry.h - the modules of this process that registered.
 *
 * Invariants
 *   I1  Everything here is read and written under registry_lock, but what an
 *       event path reads: spoor_function_ids and the modules' slots.
 *   I2  No function of the dynamic linker's is called under the lock: a dlopen
 *       holds the linker's lock when it comes here.
 *   I3  An instance's base, and its module's thunks, never change while the
 *       module is mapped: threads may stand in its sleds.
 *   I4  A base belongs to one build-id for ever, and to one instance at a time.
 */
#ifndef SPOOR_REGISTRY_H
#define SPOOR_REGISTRY_H

#include <stdbool.h>

#include "elf/elf_image.h"
#include "format/registration.h"
#include "format/trace_format.h"
#include "patch/sled_index.h"

/*
 * A module: who it is, and whether it is loaded. What features know of it stands in tables of theirs by its position.
 */
struct spoor_instance {
	struct spoor_dso *dso;		/* null while the module is not loaded */
	uint32_t position;		/* in the registry */
	uint32_t module_id;
	uint32_t base, count;		/* dense indexes */
	uint64_t load_bias;
	uint32_t build_id_bytes;
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	char *path, *soname;		/* soname is "" where it has none */
	const uint32_t *hooked;		/* of functions with hooks in the place of sleds, the virtual
					 * addresses (hooked_modules.h); else null */
	bool executable;		/* the kernel started it */
};

static inline struct spoor_functions spoor_instance_functions(const struct spoor_instance *instance)
{
	return (struct spoor_functions){ instance->dso, instance->hooked, instance->load_bias, instance->count };
}

/* The words of a bitmap by local ID. */
static inline uint32_t spoor_instance_words(const struct spoor_instance *instance)
{
	return (instance->count + 63) / 64;
}

/* The module's sleds where it is loaded and has an index; else null. Under the lock. */
static inline struct spoor_sleds *spoor_instance_sleds(const struct spoor_instance *instance)
{
	return instance->dso ? spoor_sleds_at(instance->position) : NULL;
}

/* What the calls of the interface chose, in order. */
enum spoor_choice { SPOOR_CHOICE_DISABLE, SPOOR_CHOICE_ENABLE };

/* The thread that holds it may take it once more. */
void spoor_registry_lock(void);
void spoor_registry_unlock(void);

/* Takes it where nobody has it. */
bool spoor_registry_try_lock(void);

/* Whether the calling thread holds it. Any context. */
bool spoor_registry_is_held(void);

/* From libc's handlers around fork: holds it meanwhile, but from those who cannot wait (registry_lock.c). */
void spoor_registry_fork_begins(void);
void spoor_registry_fork_ends(bool in_child);

/* All instances there ever were, loaded or not. Under the lock. */
uint32_t spoor_registry_count(void);
struct spoor_instance *spoor_registry_at(uint32_t position);

/*
 * spoor_registry_choose - adds a choice and applies it to all that is loaded.
 * Return: how many functions changed. Under the lock.
 */
long spoor_registry_choose(enum spoor_choice choice, const char *modules, const char *functions);

/*
 * spoor_registry_choose_as - sets all choices so far aside for this one; null: takes
 * them back. Under the lock, with all switched off.
 */
struct spoor_rule;
void spoor_registry_choose_as(const struct spoor_rule *rule);

/* What registers a module, and what its destructor calls. The former takes the dynamic
 * loader's lock first. */
void spoor_registry_add(struct spoor_dso *dso);
void spoor_registry_remove(struct spoor_dso *dso);

/* The same for one that nobody registers. Under the lock. Return: the instance, or null where
 * there is no room; whether spoor_observers_gone is to be called. */
struct spoor_hooked;
struct spoor_instance *spoor_registry_add_hooked(struct spoor_hooked *module, const struct spoor_image *image,
						 const char *path);
bool spoor_registry_remove_hooked(struct spoor_hooked *module);

/* spoor_registry_switch - all that is chosen awake, or all dormant. Under the lock. */
long spoor_registry_switch(bool on);

/* The same for what is chosen and on already: of all modules, or of one. Under the lock. */
void spoor_registry_apply(void);
long spoor_registry_apply_to(struct spoor_instance *instance);

/* Points the thunks of every module, now and later, at a set of trampolines. */
void spoor_registry_set_trampolines(const void *entry, const void *exit, const void *tail);

/* Whether what is chosen is to be awake. Any context. */
bool spoor_registry_is_on(void);

/* Whether it is, and the slots lead to logging. Under the lock. */
bool spoor_registry_logs(void);

/* How many functions are patched now; any context. */
uint64_t spoor_registry_patched(void);

/* Whether any module that came has calls in the place of sleds. Any context. */
bool spoor_registry_has_calls(void);

#endif
