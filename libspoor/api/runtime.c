/* SPDX-License-Identifier: MIT */
/* runtime.c - begins the runtime with the first module, and ends it. */
#include "config.h"

#include "api/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "module/adoption.h"
#include "capture/captured_modules.h"
#include "base/libc_stack.h"
#include "api/attachment.h"
#include "module/choice.h"
#include "format/clocks.h"
#include "base/time_source.h"
#include "mode/counts.h"
#include "elf/elf_image.h"
#include "elf/elf_note.h"
#include "trace/flush_signal.h"
#include "trace/foreign_sleds.h"
#include "base/after_fork.h"
#include "base/process_end.h"
#include "base/readiness.h"
#include "api/module_observers.h"
#include "api/thread_life.h"
#include "module/hooked_functions.h"
#include "library_calls/call_slots.h"
#include "library_calls/library_calls.h"
#include "probe/adopted_tracepoints.h"
#include "handler/handler_library.h"
#include "base/warning.h"
#include "mode/mode.h"
#include "handler/xray_in_use.h"
#include "patch/text_pages.h"
#include "probe/probe.h"
#include "module/registry.h"
#include "trace/service.h"
#include "event/processor.h"
#include "event/thread.h"
#include "trace/trace.h"
#include "probe/semaphores.h"
#include "mode/trigger.h"

/* The version, for tools that read the file. Clang's address sanitizer would put a redzone between the notes. */
#ifdef __clang__
__attribute__((no_sanitize("address")))
#endif
static const struct {
	uint32_t name_bytes, content_bytes, type;
	char name[8], content[SPOOR_NOTE_VERSION_BYTES];
} version_note __attribute__((section(".note.spoor"), aligned(4), used)) = {
	sizeof(SPOOR_NOTE_OWNER), SPOOR_NOTE_VERSION_BYTES, SPOOR_NOTE_VERSION, SPOOR_NOTE_OWNER, PACKAGE_VERSION,
};

static enum { RUNTIME_NEW, RUNTIME_ON, RUNTIME_OFF } state;
static bool begun;
static bool registration_deferred;
static char configuration_messages[1024];	/* messages about the configuration, until they can be printed */
static pid_t first_process;	/* the process in which the runtime began, not a forked child */

bool spoor_runtime_is_begun(void)
{
	return __atomic_load_n(&begun, __ATOMIC_RELAXED);
}

void spoor_runtime_set_begun(bool value)
{
	__atomic_store_n(&begun, value, __ATOMIC_RELAXED);
}

void spoor_runtime_defer_registration(void)
{
	__atomic_store_n(&registration_deferred, true, __ATOMIC_RELAXED);
}

static void before_fork(void)
{
	spoor_registry_fork_begins();
	spoor_after_fork_prepare();
}

static void after_fork_in_parent(void)
{
	spoor_registry_fork_ends(false);
}

static void after_fork(void)
{
	spoor_after_fork_begins();
	spoor_threads_after_fork();
	spoor_counts_forked();
	spoor_handler_library_after_fork();
	spoor_registry_fork_ends(true);
}

/* A session may have several processes, so the message names this one. */
static void warn_unmatched(void)
{
	const char *path = spoor_executable_path(), *slash = strrchr(path, '/');
	char where[128];

	snprintf(where, sizeof(where), " in %.80s (process %d)", slash ? slash + 1 : path, (int)getpid());
	if (spoor_registry_count())
		spoor_choice_unmatched(where);
	spoor_capture_unmatched(where);
	spoor_tracepoints_unmatched(where);
}

static void at_exit(void)
{
	spoor_process_ends();
	spoor_trace_date_end();
	/* Not in a forked child, which would repeat the message, and not in a process without modules. */
	spoor_registry_lock();
	if (getpid() == first_process && state == RUNTIME_ON && !spoor_attachment_is_on())
		warn_unmatched();
	if (getpid() == first_process && state == RUNTIME_ON)
		spoor_hooked_functions_warn();
	if (getpid() == first_process && state == RUNTIME_ON)
		spoor_library_calls_warn();
	spoor_probes_end();
	spoor_registry_unlock();
	spoor_handler_library_end();
	if (!spoor_trace_is_ours())
		return;
	spoor_flush_signal_end();
	spoor_trigger_check();
	if (spoor_after_fork_has_linker())
		spoor_foreign_sleds_record();
	spoor_trace_end();
}

/* Keeps the messages: a process that has nothing to trace must not print any. */
static int read_configuration(void)
{
	char *end;
	int error;

	spoor_warning_divert(configuration_messages, sizeof(configuration_messages));
	error = spoor_configuration_read(&spoor_configuration);
	spoor_warning_divert(NULL, 0);
	end = strrchr(configuration_messages, '\n');
	if (end)
		*end = '\0';
	return error;
}

static int begin_runtime(void)
{
	uint32_t asleep;
	int error;

	/* In a set-user-ID program the caller controls trace and configuration, and must not gain the program's
	 * privileges by them. */
	if (getauxval(AT_SECURE))
		return -ESHUTDOWN;
	spoor_warning_begin();
	first_process = getpid();
	spoor_after_fork_begins();
	if (read_configuration() < 0)
		return -ESHUTDOWN;
	if (spoor_counter_begin(spoor_configuration.time_stamp_counter) < 0) {
		spoor_warning("the program forbids reading the time stamp counter (PR_SET_TSC of prctl); the program "
			      "runs untraced");
		return -ESHUTDOWN;
	}
	if (spoor_configuration.start_ns > (uint64_t)spoor_clock_ns(CLOCK_MONOTONIC))
		spoor_configuration.mode = SPOOR_MODE_OFF;
	spoor_processor_begin();
	error = spoor_threads_begin(&spoor_thread_life);
	if (error < 0) {
		spoor_warning("cannot start the runtime: %s; the program runs untraced", strerror(-error));
		return -ESHUTDOWN;
	}
	spoor_modules_observe(spoor_module_observers);
	if (spoor_objects_are_used() || spoor_handler_library_is_used())
		spoor_mode_go_elsewhere();
	/* Tools for XRay know only sleds. */
	if (spoor_objects_are_used()) {
		spoor_hooked_give_up();
		spoor_call_slots_give_up_libraries();
	}
	spoor_patch_begin();
	pthread_atfork(before_fork, after_fork_in_parent, after_fork);
	atexit(at_exit);
	spoor_mode_begin();
	spoor_mode_wake();
	asleep = spoor_note_asleep();
	spoor_runtime_set_begun(!(asleep & SPOOR_ASLEEP_NOT_INITIALIZED));
	spoor_mode_log(!asleep && spoor_configuration.mode != SPOOR_MODE_OFF);
	if (asleep || spoor_configuration.mode == SPOOR_MODE_OFF)
		spoor_registry_switch(false);
	if (spoor_objects_are_used())
		spoor_objects_begin();
	if (!spoor_objects_are_used() || spoor_objects_patch_unasked())
		spoor_registry_choose(SPOOR_CHOICE_ENABLE, spoor_configuration.modules, spoor_configuration.functions);
	spoor_tracepoints_choose(true, spoor_configuration.tracepoints);
	return 0;
}

static void begin_on_libc_stack(void *unused)
{
	(void)unused;
	state = begin_runtime() < 0 ? RUNTIME_OFF : RUNTIME_ON;
}

static int begin_once(void)
{
	int saved;

	if (!spoor_is_ready())
		return -ESHUTDOWN;
	saved = errno;
	spoor_registry_lock();
	spoor_service_remember_mask();
	if (state == RUNTIME_NEW)
		spoor_libc_stack_call(begin_on_libc_stack, NULL);
	spoor_registry_unlock();
	errno = saved;
	return state == RUNTIME_ON ? 0 : -ESHUTDOWN;
}

int spoor_runtime_begin(void)
{
	static bool warned;
	int error = begin_once();

	if (error < 0 && *configuration_messages && !__atomic_exchange_n(&warned, true, __ATOMIC_RELAXED))
		spoor_warning("%s", configuration_messages);
	return error;
}

int spoor_runtime_begin_tracing(void)
{
	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	if (spoor_handler_library_begin() < 0) {
		state = RUNTIME_OFF;
		spoor_runtime_set_begun(false);
		spoor_mode_log(false);
		spoor_registry_lock();
		spoor_tracepoints_settle();
		spoor_registry_unlock();
		return -ESHUTDOWN;
	}
	return 0;
}

static void adopt_on_libc_stack(void *unused)
{
	(void)unused;
	if (spoor_runtime_begin_tracing() < 0)
		return;
	spoor_adopt_modules(false);
	spoor_handler_library_settle();
}

__attribute__((constructor)) static void constructor(void)
{
	int saved = errno;

	/* Modules may not find libspoor.so, or find it late: executables that are not position-independent do not,
	 * nor do modules whose linker (mold) resolves weak references to null. */
	if (begin_once() == 0 && (registration_deferred || spoor_executable_is_to_begin()))
		spoor_libc_stack_call(adopt_on_libc_stack, NULL);
	if (state == RUNTIME_ON && strcmp(spoor_configuration.tracepoints, SPOOR_TRACEPOINTS_NONE) != 0) {
		spoor_adopt_tracepoints();
		spoor_probes_follow();
	}
	if (state == RUNTIME_ON)
		spoor_library_calls_follow();
	errno = saved;
}
