/* SPDX-License-Identifier: MIT */
/* mode.c - keeps the current mode, and points the slots at its trampolines. */
#include "mode/mode.h"

#include <string.h>

#include "base/warning.h"
#include "mode/counts.h"
#include "mode/first_uses.h"
#include "module/registry.h"
#include "event/thread.h"

static enum spoor_mode current_mode = SPOOR_MODE_LOG;
static char logs;
static bool handled_elsewhere;

enum spoor_mode spoor_mode_now(void)
{
	return __atomic_load_n(&current_mode, __ATOMIC_ACQUIRE);
}

bool spoor_mode_stores(void)
{
	return spoor_mode_now() == SPOOR_MODE_LOG || spoor_mode_now() == SPOOR_MODE_RING;
}

bool spoor_mode_logs(void)
{
	return __atomic_load_n(&logs, __ATOMIC_RELAXED) && spoor_mode_stores();
}

void spoor_mode_log(bool on)
{
	__atomic_store_n(&logs, on, __ATOMIC_RELAXED);
}

const char *spoor_mode_logs_flag(void)
{
	return &logs;
}

bool spoor_mode_is_elsewhere(void)
{
	return handled_elsewhere;
}

void spoor_mode_go_elsewhere(void)
{
	handled_elsewhere = true;
}

static void point_slots(enum spoor_mode mode)
{
	if (mode == SPOOR_MODE_COUNT)
		spoor_registry_set_trampolines(spoor_count_entry, spoor_count_exit, spoor_count_tail);
	else if (mode == SPOOR_MODE_ORDER)
		spoor_registry_set_trampolines(spoor_order_entry, spoor_count_exit, spoor_count_tail);
	else
		spoor_registry_set_trampolines(spoor_log_entry, spoor_log_exit, spoor_log_tail);
}

void spoor_mode_begin(void)
{
	if (spoor_configuration.mode == SPOOR_MODE_OFF)
		current_mode = spoor_configuration.flush_all_events ? SPOOR_MODE_LOG : SPOOR_MODE_RING;
	else
		current_mode = spoor_configuration.mode;
	point_slots(current_mode);
}

void spoor_mode_set_now(enum spoor_mode mode)
{
	__atomic_store_n(&current_mode, mode, __ATOMIC_RELEASE);
	point_slots(mode);
}

void spoor_mode_wake(void)
{
	spoor_threads_turn(current_mode == SPOOR_MODE_COUNT ? SPOOR_COUNTS :
			   current_mode == SPOOR_MODE_ORDER ? SPOOR_RECORDS_NOT : SPOOR_RECORDS);
}

void spoor_mode_trampolines(void)
{
	if (spoor_mode_stores() && !spoor_registry_logs())
		spoor_threads_gap();
	point_slots(current_mode);
}

int spoor_mode_cover(enum spoor_mode mode, struct spoor_instance *instance)
{
	return mode == SPOOR_MODE_COUNT ? spoor_counts_cover(instance) :
	       mode == SPOOR_MODE_ORDER ? spoor_order_cover(instance) : 0;
}

static int cover_module(struct spoor_instance *instance, const uint64_t *target)
{
	int error = handled_elsewhere ? 0 : spoor_mode_cover(current_mode, instance);

	(void)target;
	if (error < 0)
		spoor_warning("%s stays untraced: cannot reserve memory for the counts or the order of its functions: "
			      "%s", instance->path,
			      strerror(-error));
	return error;
}

const struct spoor_module_observer spoor_mode_modules = { .waking = cover_module };
