/* SPDX-License-Identifier: MIT */
/* interface_log.c - the functions of spoor.h for the program's own events, and for names. */
#include <errno.h>

#include "base/libc_stack.h"
#include "event/event_path.h"
#include "api/interface.h"
#include "mode/mode.h"
#include "trace/named_things.h"
#include "module/registry.h"
#include "api/runtime.h"
#include "api/thread_life.h"

/* CLOCK_MONOTONIC in nanoseconds stays below this for 36 years. */
#define STEADY_NS_MAX (SPOOR_USER_MARK - 1)

static int store(uint32_t type, uint64_t payload_1, uint32_t payload_2, uint64_t steady_ns)
{
	struct spoor_user_event event = {
		.payload_1 = payload_1,
		.steady_ns = steady_ns,
		.type = type,
		.payload_2 = payload_2,
	};
	int saved, error;

	if (!spoor_mode_logs())
		return -ESHUTDOWN;
	saved = errno;
	error = spoor_user_event_store(&event);
	errno = saved;
	return error < 0 ? -ESHUTDOWN : error ? -ENOBUFS : 0;
}

EXPORT int spoor_log_function_entry(uint64_t function_id)
{
	return store(SPOOR_EVENT_ENTRY, function_id, 0, 0);
}

EXPORT int spoor_log_function_exit(uint64_t function_id)
{
	return store(SPOOR_EVENT_EXIT, function_id, 0, 0);
}

EXPORT int spoor_log_scope_begin(uint64_t name)
{
	return store(SPOOR_EVENT_ENTRY, name, SPOOR_USER_SCOPE, 0);
}

EXPORT int spoor_log_scope_end(uint64_t name)
{
	return store(SPOOR_EVENT_EXIT, name, SPOOR_USER_SCOPE, 0);
}

EXPORT const char *spoor_logs_flag(void)
{
	spoor_runtime_begin();
	return spoor_mode_logs_flag();
}

EXPORT int spoor_log_event(uint32_t type, uint64_t payload_1, uint32_t payload_2)
{
	if (type < SPOOR_USER_TYPE_FIRST)
		return -EINVAL;
	return store(type, payload_1, payload_2, 0);
}

EXPORT int spoor_log_event_at(uint64_t steady_ns, uint32_t type, uint64_t payload_1, uint32_t payload_2)
{
	if (type < SPOOR_USER_TYPE_FIRST || steady_ns == 0 || steady_ns > STEADY_NS_MAX)
		return -EINVAL;
	return store(type, payload_1, payload_2, steady_ns);
}

/* Blocks signals first: a handler that logs its thread's first event would wait for the registry's lock. */
static void lock(uint64_t *mask)
{
	*mask = spoor_signals_block();
	spoor_registry_lock();
}

static void unlock(uint64_t mask)
{
	spoor_registry_unlock();
	spoor_signals_restore(mask);
}

EXPORT int spoor_name_thread(const char *name)
{
	int saved, error;
	uint64_t mask;

	if (!name)
		return -EINVAL;
	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	saved = errno;
	lock(&mask);
	error = spoor_names_keep(name, false, NULL, &name);
	if (error == 0)
		spoor_thread_name(name);
	unlock(mask);
	errno = saved;
	return error;
}

EXPORT int spoor_name_event_type(uint32_t type, const char *name, int payload_1)
{
	int saved, error;
	uint64_t mask;

	if (type < SPOOR_USER_TYPE_FIRST || !name ||
	    (payload_1 != SPOOR_PAYLOAD_NUMBER && payload_1 != SPOOR_PAYLOAD_STRING))
		return -EINVAL;
	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	saved = errno;
	lock(&mask);
	error = spoor_names_event_type(type, (uint32_t)payload_1, name);
	unlock(mask);
	errno = saved;
	return error;
}

EXPORT uint64_t spoor_intern_string(const char *string)
{
	uint64_t id = 0, mask;
	int saved;

	if (!string || spoor_runtime_begin() < 0)
		return 0;
	saved = errno;
	lock(&mask);
	if (spoor_names_keep(string, true, &id, NULL) < 0)
		id = 0;
	unlock(mask);
	errno = saved;
	return id;
}

/* The names that the pass calls. */
EXPORT void _spoor_runtime_LogFunctionEntry(uint64_t function_id)
{
	store(SPOOR_EVENT_ENTRY, function_id, 0, 0);
}

EXPORT void _spoor_runtime_LogFunctionExit(uint64_t function_id)
{
	store(SPOOR_EVENT_EXIT, function_id, 0, 0);
}
