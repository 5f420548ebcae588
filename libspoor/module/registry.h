/* SPDX-License-Identifier: MIT */
/*
 * registry.h - the list of this process's registered modules.
 *
 * Invariants
 *   I1  Everything here is read and written under the registry's lock, except
 *       the data that events read: spoor_function_ids and the modules' slots.
 *   I2  No function of the dynamic linker is called under the lock: dlopen
 *       holds the linker's lock when it runs code that takes this one.
 *   I3  An instance's base and its module's thunks never change while the
 *       module is mapped: threads may be inside its sleds.
 *   I4  A base belongs to one build-id for the whole process, and to one
 *       instance at a time.
 */
#ifndef SPOOR_REGISTRY_H
#define SPOOR_REGISTRY_H

#include <stdbool.h>

#include "elf/elf_image.h"
#include "format/registration.h"
#include "format/signature_format.h"
#include "format/trace_format.h"
#include "patch/sled_index.h"

/* A function of a library whose calls are recorded: what the shipped tables know about it. */
struct spoor_library_function {
	uint8_t signature[SPOOR_SIGNATURE_MAX];	/* signature_format.h, from the flags on */
	uint32_t bytes;		/* of the signature; 0: unknown */
	const char *name;
	const char *names;	/* of the arguments, as in capture_text.h; null: unknown */
	bool is_untimed;	/* its calls are recorded without duration and result */
};

struct spoor_instance;

/*
 * A module: its identity, and whether it is loaded. Each feature keeps its data about modules in its own table,
 * indexed by position.
 */
struct spoor_instance {
	struct spoor_dso *dso;		/* null while the module is not loaded */
	uint32_t position;		/* index in the registry */
	uint32_t module_id;
	uint32_t base, count;		/* dense indexes: the first one, and their number */
	uint64_t load_bias;
	uint32_t build_id_bytes;
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	char *path, *soname;		/* soname is "" if the module has no soname */
	const uint32_t *hooked;		/* virtual addresses of the functions that call hooks instead of having
					 * sleds (hooked_modules.h), or of a library's symbols; null for a module
					 * with sleds */
	bool executable;		/* the kernel started this module */

	/* Only of a library whose calls are recorded (library_calls/): wakes the functions in @target and makes the others
	 * dormant. Returns how many changed. `hooked` has the addresses of its dynamic symbols. */
	long (*switch_functions)(struct spoor_instance *instance, const uint64_t *target);
	/* ... Sets or clears the bits of the functions that patterns of its own choose. Returns their number. */
	long (*choose_own)(struct spoor_instance *instance, uint64_t *bits, bool on);
	/* ... Describes a function. Returns whether any call of it can be recorded. */
	bool (*describe)(struct spoor_instance *instance, uint32_t local, struct spoor_library_function *function);
	bool has_slots;			/* ... Call slots lead to some of its functions, which all patterns choose. */
};

static inline struct spoor_functions spoor_instance_functions(const struct spoor_instance *instance)
{
	return (struct spoor_functions){ instance->dso, instance->hooked, instance->load_bias, instance->count };
}

/* The number of words of a bitmap by local ID. */
static inline uint32_t spoor_instance_words(const struct spoor_instance *instance)
{
	return (instance->count + 63) / 64;
}

/* The module's sleds if the module is loaded and indexed; else null. Under the lock. */
static inline struct spoor_sleds *spoor_instance_sleds(const struct spoor_instance *instance)
{
	return instance->dso ? spoor_sleds_at(instance->position) : NULL;
}

/* The kinds of choices that the configuration and calls of the interface make. */
enum spoor_choice { SPOOR_CHOICE_DISABLE, SPOOR_CHOICE_ENABLE };

/* The lock is recursive: the thread that holds it may take it again. */
void spoor_registry_lock(void);
void spoor_registry_unlock(void);

/* Takes the lock if it is free. Returns whether the thread now holds it. */
bool spoor_registry_try_lock(void);

/* Tells if the calling thread holds the registry's lock. Any context. */
bool spoor_registry_is_held(void);

/* Called by the handlers of fork: they hold the lock during fork. A thread that cannot wait may still pass
 * (registry_lock.c). */
void spoor_registry_fork_begins(void);
void spoor_registry_fork_ends(bool in_child);

/* All instances of this process so far, loaded or not. Under the lock. */
uint32_t spoor_registry_count(void);
struct spoor_instance *spoor_registry_at(uint32_t position);

/*
 * spoor_registry_choose - adds a choice and applies it to all loaded modules.
 *
 * Returns how many functions changed. Context: under the lock.
 */
long spoor_registry_choose(enum spoor_choice choice, const char *modules, const char *functions);

/*
 * spoor_registry_choose_as - replaces all earlier choices by @rule, until a call with null restores them.
 *
 * Context: under the lock, while all functions are switched off.
 */
struct spoor_rule;
void spoor_registry_choose_as(const struct spoor_rule *rule);

/* Registers a module, and removes it: the module's destructor calls the latter. The former takes the dynamic
 * loader's lock before the registry's. */
void spoor_registry_add(struct spoor_dso *dso);
void spoor_registry_remove(struct spoor_dso *dso);

/* Registers a module that has run without this library: applies no choice to it until the program makes one for
 * functions in it, or releases it. */
void spoor_registry_add_dormant(struct spoor_dso *dso);

/* Tells if the registry has modules without a choice. Any context. */
bool spoor_registry_holds(void);

/* Applies all choices to them, which then take effect with spoor_registry_switch. Under the lock. */
void spoor_registry_release(void);

/* The same as the first two for a module with hooks, which has no stub to register it. Under the lock. The former returns the
 * instance, or null if there is no room. The latter returns whether the caller must call spoor_observers_gone. */
struct spoor_hooked;
struct spoor_instance *spoor_registry_add_hooked(struct spoor_hooked *module, const struct spoor_image *image,
						 const char *path);
bool spoor_registry_remove_hooked(struct spoor_hooked *module);

/* The members of the same names of an instance. */
struct spoor_library_choice {
	long (*switch_functions)(struct spoor_instance *instance, const uint64_t *target);
	long (*choose_own)(struct spoor_instance *instance, uint64_t *bits, bool on);
	bool (*describe)(struct spoor_instance *instance, uint32_t local, struct spoor_library_function *function);
};

/* The same for a library whose calls are recorded. @addresses: @count virtual addresses of its symbols */
struct spoor_instance *spoor_registry_add_library(struct spoor_dso *dso, const struct spoor_image *image, const char *path,
						  const uint32_t *addresses, uint32_t count, struct spoor_library_choice choice);
bool spoor_registry_remove_library(struct spoor_instance *instance);

/* spoor_registry_switch - wakes all chosen functions, or makes all dormant. Returns how many changed. Under the
 * lock. */
long spoor_registry_switch(bool on);

/* Makes the sleds agree again with the choices and the switch: of all modules, or of one. Under the lock. */
void spoor_registry_apply(void);
long spoor_registry_apply_to(struct spoor_instance *instance);

/* The same after a change of what the choices mean for the module. Under the lock. */
void spoor_registry_follow(struct spoor_instance *instance);

/* Points the slots of every module, loaded now or later, at a set of trampolines. */
void spoor_registry_set_trampolines(const void *entry, const void *exit, const void *tail);

/* Tells if the chosen functions are switched on. Any context. */
bool spoor_registry_is_on(void);

/* Tells if the functions are switched on and the slots lead to logging. Under the lock. */
bool spoor_registry_logs(void);

/* The number of functions that are patched now. Any context. */
uint64_t spoor_registry_patched(void);

/* Tells if any registered module has injected calls instead of sleds. Any context. */
bool spoor_registry_has_calls(void);

#endif
