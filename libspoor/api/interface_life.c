/* SPDX-License-Identifier: MIT */
/* interface_life.c - the functions of spoor.h for begin and end, flush and clear, files, and the configuration. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/libc_stack.h"
#include "event/event_path.h"
#include "trace/flush.h"
#include "api/interface.h"
#include "base/memory.h"
#include "library_calls/library_calls.h"
#include "api/mode_change.h"
#include "event/pool.h"
#include "module/registry.h"
#include "api/runtime.h"
#include "event/thread.h"
#include "trace/trace.h"
#include "trace/folders.h"

/* How long a recorder may take for a request without a time limit. */
#define PATIENCE_NS 10000000000

static int request_and_wait(enum spoor_pool_wish wish, int64_t timeout_ns)
{
	int saved, error;

	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	saved = errno;
	error = spoor_flush_request(wish, timeout_ns);
	errno = saved;
	return error;
}

EXPORT int spoor_initialize(void)
{
	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	spoor_registry_lock();
	/* spoor_deinitialize has given the memory back. */
	if (!spoor_runtime_is_begun() && spoor_trace_is_ours() && spoor_pool)
		spoor_pool_reserve(spoor_pool);
	spoor_runtime_set_begun(true);
	spoor_registry_unlock();
	return 0;
}

static void switch_off(void *unused)
{
	(void)unused;
	spoor_registry_lock();
	if (spoor_mode_logs())
		spoor_trace_mode(SPOOR_MODE_OFF);
	spoor_mode_sleep();
	spoor_runtime_set_begun(false);
	spoor_registry_unlock();
}

EXPORT int spoor_deinitialize(void)
{
	int saved, error;
	bool has_pool;

	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	saved = errno;
	spoor_libc_stack_call(switch_off, NULL);
	spoor_library_calls_follow();
	has_pool = spoor_trace_is_ours() && spoor_pool;
	if (has_pool && spoor_thread->process_id) {
		spoor_slice_leave(spoor_thread);
		__atomic_store_n(&spoor_pool->leaver, spoor_thread->thread_id, __ATOMIC_RELAXED);
	}
	error = spoor_flush_request(SPOOR_WISH_FLUSH, PATIENCE_NS);
	if (has_pool) {
		__atomic_store_n(&spoor_pool->leaver, 0, __ATOMIC_RELAXED);
		spoor_pool_trim(spoor_pool);
	}
	errno = saved;
	return error;
}

EXPORT int spoor_is_initialized(void)
{
	return spoor_runtime_is_begun();
}

EXPORT int spoor_is_stub(void)
{
	return 0;
}

EXPORT int spoor_flush(int64_t timeout_ns)
{
	return request_and_wait(SPOOR_WISH_FLUSH, timeout_ns);
}

EXPORT int spoor_clear(void)
{
	return request_and_wait(SPOOR_WISH_CLEAR, PATIENCE_NS);
}

struct pending_flush {
	spoor_flushed *flushed;
	void *context;
};

static void *flush_and_call(void *argument)
{
	struct pending_flush pending = *(struct pending_flush *)argument;

	spoor_memory_unmap(argument, sizeof(pending));
	pending.flushed(spoor_flush(-1), pending.context);
	return NULL;
}

EXPORT int spoor_flush_then(spoor_flushed *flushed, void *context)
{
	struct pending_flush *pending;
	pthread_attr_t attributes;
	sigset_t all, before;
	int saved, error;
	pthread_t thread;

	if (!flushed)
		return -EINVAL;
	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	saved = errno;
	pending = spoor_memory_map(sizeof(*pending));
	if (!pending)
		return -ENOMEM;
	*pending = (struct pending_flush){ flushed, context };
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* Blocks all signals: the program's signals must not arrive in a thread that the program does not know. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = -pthread_create(&thread, &attributes, flush_and_call, pending);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (error < 0)
		spoor_memory_unmap(pending, sizeof(*pending));
	errno = saved;
	return error;
}

struct listing {
	spoor_trace_file_found *found;
	void *context;
};

static void found_file(const struct spoor_folder_file *file, void *context)
{
	const struct listing *listing = context;

	listing->found(file->path, file->bytes, file->modified_s, listing->context);
}

EXPORT long spoor_trace_files(spoor_trace_file_found *found, void *context)
{
	struct listing listing = { found, context };
	int saved;
	long count;

	if (!found)
		return -EINVAL;
	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	saved = errno;
	count = spoor_trace_folders_for_each(spoor_configuration.trace_path, found_file, &listing);
	errno = saved;
	return count;
}

EXPORT long spoor_trace_files_delete(uint64_t age_s, uint64_t *bytes)
{
	int64_t now_s, before_s;
	int saved;
	long count;

	if (bytes)
		*bytes = 0;
	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	saved = errno;
	now_s = time(NULL);
	before_s = age_s > (uint64_t)now_s ? INT64_MIN : now_s - (int64_t)age_s;
	count = spoor_trace_folders_delete(spoor_configuration.trace_path, spoor_trace_folder(), before_s, bytes);
	errno = saved;
	return count;
}

EXPORT long spoor_configuration_get(const char *name, char *value, size_t size)
{
	const struct spoor_key *key;

	if (!name || (size && !value))
		return -EINVAL;
	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	for (uint32_t i = 0; (key = spoor_configuration_key(i)); i++) {
		if (strcmp(name, key->name) == 0)
			return (long)spoor_configuration_text(&spoor_configuration, i, value, size);
	}
	return -ENOENT;
}

EXPORT const char *spoor_configuration_name(unsigned int position)
{
	const struct spoor_key *key = spoor_configuration_key(position);

	return key ? key->name : NULL;
}

/* The names that the pass calls. */
EXPORT void _spoor_runtime_Initialize(void)
{
	spoor_initialize();
}

EXPORT void _spoor_runtime_Deinitialize(void)
{
	spoor_deinitialize();
}

EXPORT void _spoor_runtime_Enable(void)
{
	/* main calls this without the user's request: mode "off" takes precedence. */
	if (spoor_runtime_begin() < 0 || spoor_configuration.mode == SPOOR_MODE_OFF)
		return;
	spoor_enable();
}

EXPORT void _spoor_runtime_Disable(void)
{
	spoor_disable();
}
