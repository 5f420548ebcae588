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

#include <limits.h>
#include <stdbool.h>

#include "trace/status_page.h"
#include "elf/elf_image.h"
#include "format/registration.h"
#include "format/trace_format.h"

struct spoor_instance {
	struct spoor_dso *dso;		/* null while the module is not loaded */
	uint32_t module_id;
	uint32_t base, count;		/* dense indexes */
	uint64_t load_bias;
	uint32_t build_id_bytes;
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	char *path, *soname;		/* soname is "" where it has none */
	bool recorded;			/* its module block is in the trace */
	bool awake;			/* some function of it is patched */
	bool nameless;			/* it has no names, which has been said */
	bool refused;			/* its text could not be made writable, which has been said */
	uint32_t enabled;		/* how many are */
	uint32_t position;		/* in the registry */
	struct spoor_board_name shown;
	bool counted;			/* its counters have memory behind them: counts.h */
	bool ordered;			/* there is room for its order: first_uses.h */
	bool once;			/* entry sleds alone are woken, which go back to sleep by themselves */
	bool text_open;			/* its text stays writable for that */

	/* sled_index.c's and patch.c's; built when something of the module is first
	 * chosen. Bits by local ID. */
	uint32_t *first_sled;		/* count + 1: function f has [f], [f + 1) of ... */
	uint32_t *sleds;		/* ... these, as in sled_index.h */
	uint64_t *prepared;		/* functions whose sleds have their other bytes */
	uint64_t *switchable;		/* those with a sled that is not left alone, or with hooks that count */
	uint64_t *patched;
	uint64_t *wanted;
	uint64_t *framed;		/* functions that log their frames: frame_marks.h */
	uint64_t *unused;		/* disabled_functions.c's: no call was open when `stored` was what threads had stored */
	uint64_t stored;
	uintptr_t text_low, text_high;	/* all sleds lie within */
	bool in_order;			/* the function table is, by address, and the sleds, each of which is there once */
	/* choice.c's: what the patterns that were looked up last chose. */
	uint64_t *chosen;
	const char *chosen_by;
	size_t chosen_bytes;
	struct spoor_handler_told *handler_told;	/* handler_library.c's */
	struct spoor_object *object;	/* xray_objects.c's */
	const uint32_t *hooked;		/* of functions with hooks in the place of sleds, the virtual
					 * addresses (hooked_modules.h); else null */
	bool executable;		/* the kernel started it */
	size_t memory_bytes;
	struct spoor_left_alone left_alone;
};

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
 * there is no room; whether spoor_handler_library_tell_gone is to be called. */
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
