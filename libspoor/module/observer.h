/* SPDX-License-Identifier: MIT */
/*
 * observer.h - calls the features above the registry when modules come, are chosen from, and go.
 *
 * Each feature has its own table by module position and one constant struct of these functions; null functions are
 * skipped. Unless a comment says otherwise, a function runs under the registry's lock. The features are called in the
 * order of the table that api/ passes to spoor_modules_observe.
 */
#ifndef SPOOR_MODULE_OBSERVER_H
#define SPOOR_MODULE_OBSERVER_H

#include "module/registry.h"

struct spoor_module_observer {
	/* The module was loaded, perhaps again. Its slots are set, and none of its functions is chosen yet. */
	void (*added)(struct spoor_instance *instance);

	/* Not under the lock: the module @dso has registered. */
	void (*registered)(struct spoor_dso *dso);

	/* Called before and after a choice that changes the wanted functions of the module. */
	void (*choosing)(struct spoor_instance *instance, enum spoor_choice choice);
	void (*chosen)(struct spoor_instance *instance, enum spoor_choice choice);

	/* Returns the functions of @target that may be awake now. Null, as @target or as result, means no functions.
	 * */
	const uint64_t *(*allowed)(struct spoor_instance *instance, const uint64_t *target);

	/* Some functions are about to wake. Returns 0, or a negative errno to keep all functions as they are. */
	int (*waking)(struct spoor_instance *instance, const uint64_t *target);

	/* The sleds were changed, or there was no change to make. */
	void (*changed)(struct spoor_instance *instance);

	/* All modules follow a choice, or the switch that makes all functions dormant. */
	void (*all_changed)(bool is_on);

	/* The module is about to go; its functions no longer count as patched. Returns whether `gone` has to be
	 * called. */
	bool (*removed)(struct spoor_instance *instance);

	/* Not under the lock: the module is gone. @path stays valid. */
	void (*gone)(uint32_t module_id, const char *path);

	/* Not under the lock: a module with hooks, which no stub registers, was added. */
	void (*settle)(void);
};

/* Sets the observers: a constant table that ends with null. */
void spoor_modules_observe(const struct spoor_module_observer *const *observers);

/* Call all observers, and combine their results. */
void spoor_observers_added(struct spoor_instance *instance);
void spoor_observers_registered(struct spoor_dso *dso);
void spoor_observers_choosing(struct spoor_instance *instance, enum spoor_choice choice);
void spoor_observers_chosen(struct spoor_instance *instance, enum spoor_choice choice);
const uint64_t *spoor_observers_allowed(struct spoor_instance *instance, const uint64_t *target);
int spoor_observers_waking(struct spoor_instance *instance, const uint64_t *target);
void spoor_observers_changed(struct spoor_instance *instance);
void spoor_observers_all_changed(bool is_on);
bool spoor_observers_removed(struct spoor_instance *instance);
void spoor_observers_gone(uint32_t module_id, const char *path);
void spoor_observers_settle(void);

#endif
