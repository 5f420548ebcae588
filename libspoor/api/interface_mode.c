/* SPDX-License-Identifier: MIT */
/* interface_mode.c - the functions of spoor.h for modes. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/libc_stack.h"
#include "event/event_path.h"
#include "trace/flush.h"
#include "api/interface.h"
#include "api/mode_change.h"
#include "library_calls/library_calls.h"
#include "probe/probe.h"
#include "module/registry.h"
#include "trace/unrooted_threads.h"
#include "api/runtime.h"
#include "trace/trace.h"

/* How long a recorder may take to write the events of a ring. */
#define PATIENCE_NS 10000000000

struct change {
	enum spoor_mode mode;
	int error;
	bool flushes;	/* the mode changes from or to "ring" */
};

static void change_on_libc_stack(void *argument)
{
	struct change *change = argument;
	bool was_ring, changed;

	spoor_registry_lock();
	was_ring = spoor_mode_now() == SPOOR_MODE_RING;
	changed = spoor_mode_now() != change->mode;
	change->error = spoor_runtime_is_begun() ? spoor_mode_change(change->mode) : -ESHUTDOWN;
	change->flushes = change->error == 0 && changed && (was_ring || change->mode == SPOOR_MODE_RING);
	spoor_registry_unlock();
}

/* Returns as spoor_mode_set. */
static int resume_handler(void)
{
	int error;
	long changed;

	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	spoor_registry_lock();
	error = spoor_runtime_is_begun() ? spoor_handler_resume() : -ESHUTDOWN;
	spoor_registry_unlock();
	if (error < 0)
		return error;
	changed = spoor_enable();
	return changed < 0 ? (int)changed : 0;
}

EXPORT int spoor_mode_set(const char *name)
{
	int saved, mode = name ? spoor_configuration_mode(name) : -EINVAL;
	struct change change = { .mode = (enum spoor_mode)mode };

	if (name && strcmp(name, SPOOR_MODE_HANDLER) == 0)
		return resume_handler();
	if (mode < 0)
		return mode;
	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	saved = errno;
	if (mode == SPOOR_MODE_LOG || mode == SPOOR_MODE_RING)
		spoor_unrooted_threads_prepare();
	spoor_libc_stack_call(change_on_libc_stack, &change);
	spoor_probes_follow();
	spoor_library_calls_follow();
	if (change.flushes)
		spoor_flush_request(SPOOR_WISH_FLUSH, PATIENCE_NS);
	errno = saved;
	return change.error;
}

EXPORT const char *spoor_mode_get(void)
{
	if (spoor_runtime_begin() < 0)
		return "off";
	return spoor_configuration_mode_name(spoor_registry_is_on() ? spoor_mode_now() : SPOOR_MODE_OFF);
}
