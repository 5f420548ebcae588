/* SPDX-License-Identifier: MIT */
/*
 * box_runtime.c - replaces the parts of the runtime outside of the event path: one module
 * for its counters, no handlers, no tracepoints, and a drainer that waits for the test.
 *
 * Linked in place of registry.c, runtime.c, service.c and others. If a function is missing
 * here, the event path has begun to need it.
 */
#include "box.h"

#include <string.h>

#include "module/registry.h"
#include "trace/service.h"
#include "probe/semaphores.h"

struct spoor_drain *box_drain;
int box_events_fd;

void spoor_registry_lock(void)
{
}

void spoor_registry_unlock(void)
{
}

uint32_t spoor_registry_count(void)
{
	return 1;
}

/* A module that provides counters. Its functions have hooks, so it needs no function table. */
static struct spoor_dso dso;
static uint32_t addresses[BOX_COUNTED];
static char nameless[1];
static struct spoor_instance instance = {
	.count = BOX_COUNTED, .dso = &dso, .hooked = addresses, .path = nameless, .soname = nameless,
};

void box_runtime_begin(void)
{
	struct spoor_functions functions = spoor_instance_functions(&instance);

	if (spoor_sleds_index(0, &functions) < 0)
		box_fail("the box has no memory");
}

struct spoor_instance *spoor_registry_at(uint32_t position)
{
	(void)position;
	return &instance;
}

bool spoor_registry_logs(void)
{
	return true;
}

bool spoor_registry_holds(void)
{
	return false;
}

void spoor_registry_set_trampolines(const void *entry, const void *exit, const void *tail)
{
	(void)entry;
	(void)exit;
	(void)tail;
}

bool spoor_registry_is_held(void)
{
	return false;
}

bool spoor_registry_is_on(void)
{
	return true;
}

uint64_t spoor_registry_patched(void)
{
	return 0;
}

long spoor_registry_switch(bool on)
{
	(void)on;
	return 0;
}

long spoor_tracepoints_settle(void)
{
	return 0;
}

int spoor_service_begin(struct spoor_pool *pool, struct spoor_owned_file *events)
{
	box_events_fd = events->fd;
	return spoor_drain_begin(&box_drain, &(struct spoor_drain_options){ .pool = pool, .fd = box_events_fd });
}

void spoor_service_drain(void)
{
}

void spoor_service_start(bool in_event)
{
	(void)in_event;
}

void spoor_service_main_ended(void)
{
}

void spoor_service_thread_ended(void)
{
}

void spoor_service_forget(void)
{
	box_drain = NULL;
}
