/* SPDX-License-Identifier: MIT */
/*
 * trace.c - makes the process's folder once, readable by its owner only, never through a link.
 * records.c writes the process's own data there.
 */
#define _GNU_SOURCE
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/large.h"
#include "trace/status_page.h"
#include "format/clocks.h"
#include "mode/counts.h"
#include "trace/flush.h"
#include "trace/flush_signal.h"
#include "base/memory.h"
#include "base/warning.h"
#include "mode/mode.h"
#include "mode/first_uses.h"
#include "trace/named_things.h"
#include "event/pool.h"
#include "base/signal_guard.h"
#include "trace/recorder_client.h"
#include "trace/recorded_modules.h"
#include "trace/unrooted_threads.h"
#include "trace/service.h"
#include "event/thread.h"
#include "base/owned_file.h"
#include "trace/records.h"
#include "capture/plans.h"
#include "mode/trigger.h"

#define FOLDERS_MAX 1000
#define DESCRIPTORS_LEAST 8	/* a process with fewer descriptors is not traced: spoor needs two */

static struct spoor_owned_file events_file SPOOR_LARGE;

/* Tells if the process has so few descriptors that it needs all of them. */
static bool descriptors_are_few(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < DESCRIPTORS_LEAST;
}

/* Makes a directory that this user can use, even if the umask removes the owner's bits. Returns 0, or -1 with
 * errno. */
static int make_directory(const char *path)
{
	struct stat status;

	if (mkdir(path, S_IRWXU) < 0)
		return -1;
	if (stat(path, &status) == 0 && (status.st_mode & S_IRWXU) != S_IRWXU)
		chmod(path, S_IRWXU);
	return 0;
}

/* Makes a new folder: each process has one, and another after every exec. */
static int create_folder_here(void)
{
	const char *path = spoor_configuration.trace_path;

	spoor_trace_state.made_path = make_directory(path) == 0;
	if (!spoor_trace_state.made_path && errno != EEXIST)
		return -errno;
	for (int i = 0; i < FOLDERS_MAX; i++) {
		int length = i == 0 ? snprintf(spoor_trace_state.folder, sizeof(spoor_trace_state.folder), "%s/%d", path, getpid())
				    : snprintf(spoor_trace_state.folder, sizeof(spoor_trace_state.folder), "%s/%d.%d", path, getpid(), i);

		if (length >= (int)sizeof(spoor_trace_state.folder))
			return -ENAMETOOLONG;
		if (make_directory(spoor_trace_state.folder) == 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* Lets the recorder open a file in the recorder's folder. */
static int open_at_recorder(const char *name)
{
	return spoor_recorder_file(spoor_configuration.recorder, spoor_trace_state.folder, name);
}

/* In a container, the trace's path may lead to a different directory, to none, or to a read-only one. The recorder
 * then makes the folder. */
static int create_folder(void)
{
	const char *recorder = spoor_configuration.recorder;
	int error = 0;

	spoor_owned_file_set_opener(NULL);
	spoor_trace_state.made_path = false;
	spoor_trace_state.elsewhere = spoor_recorder_is_elsewhere(recorder, spoor_configuration.trace_path);
	if (!spoor_trace_state.elsewhere) {
		error = create_folder_here();
		spoor_trace_state.elsewhere = error < 0 && recorder[0] && !spoor_trace_state.made_path;
	}
	if (spoor_trace_state.elsewhere)
		error = spoor_recorder_folder(recorder, spoor_trace_state.folder);
	if (spoor_trace_state.elsewhere && error == 0)
		spoor_owned_file_set_opener(open_at_recorder);
	return error;
}

/* The default size of a thread's ring: 2 MiB. */
#define RING_SLICES 64u

/*
 * The number of slices. The pool is limited by memory: a thread that logs little uses one page of
 * its slice, so there are more slices than would fit into the memory if all were full. Slices cost
 * address space, so a program with a limit on it gets fewer.
 */
static uint32_t slices_of(uint32_t reserved, uint32_t dynamic)
{
	uint32_t pages = (uint32_t)(spoor_configuration.dynamic_slice_events * 8 + spoor_page_bytes - 1) / spoor_page_bytes;
	struct rlimit space;

	spoor_pool_limits.pages = dynamic * pages;
	if (getrlimit(RLIMIT_AS, &space) < 0 || space.rlim_cur != RLIM_INFINITY)
		return reserved + dynamic;
	if (dynamic * pages > SPOOR_POOL_SLICE_COUNT_MAX - reserved)
		return SPOOR_POOL_SLICE_COUNT_MAX;
	return reserved + dynamic * pages;
}

/* Makes the pool according to the configuration. */
static int create_pool(int fd)
{
	const struct spoor_configuration *configuration = &spoor_configuration;
	uint32_t reserved = spoor_configuration_reserved_slices(configuration), got;
	uint32_t dynamic = spoor_configuration_dynamic_slices(configuration);
	uint64_t slice_events = configuration->dynamic_slice_events;
	int error;

	spoor_pool_limits = (struct spoor_pool_limits){
		.reserved = reserved,
		.reserved_offset = (uint32_t)(SPOOR_SLICE_BYTES - 8 * configuration->reserved_slice_events),
		.dynamic_offset = (uint32_t)(SPOOR_SLICE_BYTES - 8 * slice_events),
		.thread_slices = (uint32_t)((configuration->thread_events + slice_events - 1) / slice_events),
		.borrow_attempts = (uint32_t)configuration->borrow_attempts,
		.retention_ns = (int64_t)configuration->retention_ns,
	};
	spoor_pool_limits.ring_slices = spoor_pool_limits.thread_slices ? spoor_pool_limits.thread_slices : RING_SLICES;
	error = spoor_pool_create(fd, configuration->session_id,
				  slices_of(reserved, dynamic), &spoor_pool);
	if (error < 0)
		return error;
	spoor_pool->unpacked = !configuration->packed;
	spoor_ring_set(spoor_pool, spoor_mode_now() == SPOOR_MODE_RING);
	spoor_pool->flush_attempts = (uint32_t)configuration->flush_attempts;
	spoor_trigger_begin(spoor_pool);
	spoor_plans_describe(spoor_pool);
	got = spoor_pool_reserve(spoor_pool);
	if (got < reserved)
		spoor_warning("the pool has only %u of its %u reserved slices: out of memory", got, reserved);
	return 0;
}

/* Starts draining: by the recorder if there is one, else by the service thread. */
static int begin_draining(void)
{
	struct spoor_owned_file pool_file;
	int pool_fd, error;

	if (spoor_configuration.recorder[0]) {
		pool_fd = memfd_create("spoor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		error = pool_fd < 0 ? -errno : create_pool(pool_fd);
		if (error == 0)
			error = spoor_recorder_send(spoor_configuration.recorder, pool_fd, spoor_trace_state.folder);
		if (pool_fd >= 0)
			close(pool_fd);
		if (error == 0) {
			spoor_trace_state.drained_here = false;
			return 0;
		}
		spoor_pool_unmap(spoor_pool);
		spoor_pool = NULL;
		/* The recorder that attached allows no service thread in its place. */
		if (spoor_trace_state.recorder_alone)
			return error;
	}

	error = spoor_owned_file_create(&pool_file, spoor_trace_state.folder, SPOOR_POOL_FILE);
	if (error < 0)
		return error;
	error = create_pool(pool_file.fd);
	spoor_owned_file_close(&pool_file);
	if (error < 0)
		return error;
	error = spoor_owned_file_create(&events_file, spoor_trace_state.folder, SPOOR_EVENTS_FILE);
	if (error < 0)
		return error;
	spoor_trace_state.drained_here = true;
	return spoor_service_begin(spoor_pool, &events_file);
}

int spoor_trace_provide(enum spoor_mode mode)
{
	bool *has = mode == SPOOR_MODE_COUNT ? &spoor_trace_state.has_counts :
		    mode == SPOOR_MODE_ORDER ? &spoor_trace_state.has_order : &spoor_trace_state.has_pool;
	struct spoor_signal_guard quiet;
	int error;

	if (*has)
		return 0;
	spoor_signal_guard_begin(&quiet);
	error = mode == SPOOR_MODE_COUNT ? spoor_counts_begin(spoor_trace_state.folder, spoor_configuration.session_id) :
		mode == SPOOR_MODE_ORDER ? spoor_order_begin(spoor_trace_state.folder, spoor_configuration.session_id) :
					   begin_draining();
	spoor_signal_guard_end(&quiet);
	__atomic_store_n(has, error == 0, __ATOMIC_RELEASE);
	/* The pool was made after modules were recorded. */
	if (error == 0 && has == &spoor_trace_state.has_pool && spoor_trace_state.state == TRACE_OPEN) {
		spoor_status_page_begin(spoor_trace_state.folder, !spoor_trace_state.drained_here);
		for (uint32_t i = 0; i < spoor_registry_count(); i++) {
			if (spoor_module_is_recorded(spoor_registry_at(i)))
				spoor_trigger_module(spoor_registry_at(i));
		}
	}
	return error;
}

/* In a forked child: releases the parent's trace. */
static void forget_parent(void)
{
	/* Before the threads count as the child's (spoor_threads_forget): in between, another thread would take
	 * the parent's trace for the child's, and find no pool. */
	__atomic_store_n(&spoor_trace_state.state, TRACE_NONE, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	spoor_trace_records_forget();
	spoor_owned_file_close(&events_file);
	spoor_pool_abandon(spoor_pool);
	spoor_pool = NULL;
	spoor_counts_abandon();
	spoor_order_abandon();
	spoor_trace_state.has_pool = spoor_trace_state.has_counts = spoor_trace_state.has_order = spoor_trace_state.drained_here = false;
	spoor_threads_forget();
	spoor_unrooted_threads_forget();
	spoor_service_forget();
	spoor_flush_forget();
	spoor_module_records_forget();
}

/* Removes a trace that could not be begun. */
static void remove_folder(void)
{
	static const char *const names[] = { SPOOR_PROCESS_FILE, SPOOR_POOL_FILE, SPOOR_EVENTS_FILE, SPOOR_COUNTS_FILE,
					     SPOOR_ORDER_FILE };
	char path[PATH_MAX + 32];

	spoor_trace_records_close();
	spoor_owned_file_close(&events_file);
	/* The recorder's path is not valid in this process. */
	for (unsigned int i = 0; !spoor_trace_state.elsewhere && i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", spoor_trace_state.folder, names[i]);
		unlink(path);
	}
	if (!spoor_trace_state.elsewhere)
		rmdir(spoor_trace_state.folder);
	if (spoor_trace_state.made_path)
		rmdir(spoor_configuration.trace_path);
}

int spoor_trace_begin(void)
{
	struct spoor_signal_guard quiet;
	int error;

	if (spoor_threads_forked())
		forget_parent();
	if (spoor_trace_state.state != TRACE_NONE)
		return spoor_trace_state.state == TRACE_OPEN ? 0 : -ESHUTDOWN;
	spoor_trace_state.state = TRACE_FAILED;

	spoor_signal_guard_begin(&quiet);
	error = descriptors_are_few() ? -EMFILE : create_folder();
	if (error < 0) {
		if (spoor_warning_is_first())
			spoor_warning("cannot create the trace folder %.500s%s: %s; the program runs untraced",
				      spoor_configuration.trace_path, spoor_trace_state.elsewhere
				      ? ", and cannot get it from the recorder (is the process in a container, or has "
					"another user?)" : "", strerror(-error));
		spoor_signal_guard_end(&quiet);
		return -ESHUTDOWN;
	}
	error = spoor_trace_records_begin(spoor_trace_state.folder);
	if (error == 0)
		error = spoor_trace_provide(spoor_mode_now());
	for (uint32_t i = 0; error == 0 && i < spoor_registry_count(); i++) {
		if (spoor_instance_sleds(spoor_registry_at(i)))
			error = spoor_mode_cover(spoor_mode_now(), spoor_registry_at(i));
	}
	spoor_signal_guard_end(&quiet);
	if (error < 0) {
		if (spoor_warning_is_first())
			spoor_warning("cannot start the trace in %.500s: %s; the program runs untraced",
				      spoor_trace_state.folder,
				      strerror(-error));
		if (spoor_trace_state.has_counts)
			spoor_counts_abandon();
		if (spoor_trace_state.has_order)
			spoor_order_abandon();
		spoor_trace_state.has_counts = spoor_trace_state.has_order = false;
		remove_folder();
		return -ESHUTDOWN;
	}
	__atomic_store_n(&spoor_trace_state.state, TRACE_OPEN, __ATOMIC_RELEASE);
	spoor_flush_signal_begin();
	spoor_status_page_begin(spoor_trace_state.folder, !spoor_trace_state.drained_here);
	/* In a forked child, the functions that the parent patched are patched, too. */
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);

		if (instance->count && spoor_instance_sleds(instance) && !spoor_module_is_recorded(instance)) {
			spoor_module_record(instance);
			spoor_trigger_module(instance);
		}
	}
	spoor_names_write();
	return 0;
}

/* Records the name of a thread that is still running. */
static void append_live_name(const struct spoor_thread *thread)
{
	char path[64], name[64];
	ssize_t length;
	int fd;

	if (thread == spoor_thread && prctl(PR_GET_NAME, name) == 0) {
		spoor_trace_thread(thread->thread_id, name);
		return;
	}
	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", thread->thread_id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	length = read(fd, name, sizeof(name) - 1);
	close(fd);
	if (length <= 1)
		return;
	name[length - 1] = '\0';
	spoor_trace_thread(thread->thread_id, name);
}

/* The recorder was killed: saves the events that it has not drained, as a pool that is still to be drained. */
static void save_pool(void)
{
	struct spoor_owned_file file;
	int error = spoor_owned_file_create(&file, spoor_trace_state.folder, SPOOR_POOL_FILE);

	if (error == 0) {
		error = spoor_pool_save(spoor_pool, file.fd);
		spoor_owned_file_close(&file);
	}
	if (error < 0 && error != -EEXIST)
		spoor_warning("the recorder has ended, and the events that it did not write cannot be saved: %s",
			      strerror(-error));
}

void spoor_trace_date_end(void)
{
	if (spoor_trace_is_ours() && spoor_trace_state.has_pool && !spoor_pool->left.counter)
		spoor_clocks_read(&spoor_pool->left, spoor_pool->counter_is_clock != 0);
}

void spoor_trace_end(void)
{
	struct spoor_signal_guard quiet;

	if (!spoor_trace_is_ours())
		return;
	spoor_signal_guard_begin(&quiet);
	spoor_trace_date_end();
	if (spoor_trace_state.has_pool)
		__atomic_store_n(&spoor_pool->ended, 1, __ATOMIC_RELEASE);
	spoor_threads_for_each(append_live_name);
	spoor_threads_for_each(spoor_trace_thread_lost);
	if (spoor_trace_state.drained_here) {
		if (spoor_thread != &spoor_detached_thread)
			spoor_slice_leave(spoor_thread);
		__atomic_store_n(&spoor_pool->leaver, spoor_thread->thread_id, __ATOMIC_RELAXED);
		spoor_service_drain();
		spoor_pool_trim(spoor_pool);
	} else if (spoor_trace_state.has_pool && spoor_recorder_is_gone(spoor_pool)) {
		save_pool();
	}
	spoor_trace_records_end();
	spoor_signal_guard_end(&quiet);
}

void spoor_trace_leave(void)
{
	if (!spoor_trace_is_ours())
		return;
	spoor_trace_end();
	spoor_trace_records_close();
	spoor_trace_state.state = TRACE_FAILED;
}

void spoor_trace_forget(void)
{
	spoor_pool_unmap(spoor_pool);
	spoor_pool = NULL;
	spoor_counts_end();
	spoor_order_end();
	spoor_trace_state.has_pool = spoor_trace_state.has_counts = spoor_trace_state.has_order = false;
	spoor_module_records_forget();
	spoor_trace_state.recorder_alone = false;
	spoor_trace_state.state = TRACE_NONE;
}

void spoor_trace_renew(void)
{
	spoor_trace_state.recorder_alone = true;
	if (spoor_trace_state.state == TRACE_FAILED)
		spoor_trace_state.state = TRACE_NONE;
}
