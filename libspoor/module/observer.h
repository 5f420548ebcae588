/* SPDX-License-Identifier: MIT */
/*
 * observer.h - what features above the registry do when modules come, are chosen from, and go.
 *
 * Each feature has its own table by module position and one constant struct of these functions; null ones are skipped.
 * Unless it says otherwise a function runs under the registry's lock, and in the order of the table that api/ hands to
 * spoor_modules_observe.
 */
#ifndef SPOOR_MODULE_OBSERVER_H
#define SPOOR_MODULE_OBSERVER_H

#include "module/registry.h"

struct spoor_module_observer {
	/* The module came, or came again; its slots are set, and nothing of it is chosen yet. */
	void (*added)(struct spoor_instance *instance);

	/* Not under the lock: the module @dso has registered. */
	void (*registered)(struct spoor_dso *dso);

	/* Around a choice that changes what is wanted of the module. */
	void (*choosing)(struct spoor_instance *instance, enum spoor_choice choice);
	void (*chosen)(struct spoor_instance *instance, enum spoor_choice choice);

	/* Return: those functions of @target that may be awake now; null for none. @target: null for none */
	const uint64_t *(*allowed)(struct spoor_instance *instance, const uint64_t *target);

	/* Some functions are to be awake. Return: 0, or a negative errno where none of them may change. */
	int (*waking)(struct spoor_instance *instance, const uint64_t *target);

	/* The sleds have changed, or found no change to make. */
	void (*changed)(struct spoor_instance *instance);

	/* All modules follow a choice, or the switch that makes all dormant. */
	void (*all_changed)(bool is_on);

	/* The module goes, with its functions no longer counted as patched. Return: whether `gone` is to be called. */
	bool (*removed)(struct spoor_instance *instance);

	/* Not under the lock: the module has gone. @path stays valid. */
	void (*gone)(uint32_t module_id, const char *path);

	/* Not under the lock: a module that nobody registers was added. */
	void (*settle)(void);
};

/* The observers from now on: a constant table that ends with null. */
void spoor_modules_observe(const struct spoor_module_observer *const *observers);

/* Tell all of them; the answers are those of all. */
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
