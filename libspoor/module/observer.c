/* SPDX-License-Identifier: MIT */
/* observer.c - calls the features above the registry when modules change. */
#include "module/observer.h"

static const struct spoor_module_observer *const none;
static const struct spoor_module_observer *const *observers = &none;

void spoor_modules_observe(const struct spoor_module_observer *const *all)
{
	observers = all;
}

void spoor_observers_added(struct spoor_instance *instance)
{
	for (const struct spoor_module_observer *const *at = observers; *at; at++)
		if ((*at)->added)
			(*at)->added(instance);
}

void spoor_observers_registered(struct spoor_dso *dso)
{
	for (const struct spoor_module_observer *const *at = observers; *at; at++)
		if ((*at)->registered)
			(*at)->registered(dso);
}

void spoor_observers_choosing(struct spoor_instance *instance, enum spoor_choice choice)
{
	for (const struct spoor_module_observer *const *at = observers; *at; at++)
		if ((*at)->choosing)
			(*at)->choosing(instance, choice);
}

void spoor_observers_chosen(struct spoor_instance *instance, enum spoor_choice choice)
{
	for (const struct spoor_module_observer *const *at = observers; *at; at++)
		if ((*at)->chosen)
			(*at)->chosen(instance, choice);
}

const uint64_t *spoor_observers_allowed(struct spoor_instance *instance, const uint64_t *target)
{
	for (const struct spoor_module_observer *const *at = observers; *at; at++)
		if ((*at)->allowed)
			target = (*at)->allowed(instance, target);
	return target;
}

int spoor_observers_waking(struct spoor_instance *instance, const uint64_t *target)
{
	int error = 0;

	for (const struct spoor_module_observer *const *at = observers; *at && error == 0; at++)
		if ((*at)->waking)
			error = (*at)->waking(instance, target);
	return error;
}

void spoor_observers_changed(struct spoor_instance *instance)
{
	for (const struct spoor_module_observer *const *at = observers; *at; at++)
		if ((*at)->changed)
			(*at)->changed(instance);
}

void spoor_observers_all_changed(bool is_on)
{
	for (const struct spoor_module_observer *const *at = observers; *at; at++)
		if ((*at)->all_changed)
			(*at)->all_changed(is_on);
}

bool spoor_observers_removed(struct spoor_instance *instance)
{
	bool removal_pending = false;

	for (const struct spoor_module_observer *const *at = observers; *at; at++)
		if ((*at)->removed)
			removal_pending |= (*at)->removed(instance);
	return removal_pending;
}

void spoor_observers_gone(uint32_t module_id, const char *path)
{
	for (const struct spoor_module_observer *const *at = observers; *at; at++)
		if ((*at)->gone)
			(*at)->gone(module_id, path);
}

void spoor_observers_settle(void)
{
	for (const struct spoor_module_observer *const *at = observers; *at; at++)
		if ((*at)->settle)
			(*at)->settle();
}
