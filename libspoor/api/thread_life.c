/* SPDX-License-Identifier: MIT */
/* thread_life.c - what the trace, the counters and the service do at a thread's first event and at its end. */
#include "api/thread_life.h"

#include "event/library_path.h"
#include "event/slices.h"
#include "mode/counts.h"
#include "mode/mode.h"
#include "module/registry.h"
#include "probe/semaphores.h"
#include "trace/service.h"
#include "trace/trace.h"
#include "trace/trace_state.h"
#include "trace/unrooted_threads.h"

static __thread const char *given_name __attribute__((tls_model("initial-exec")));

static void write_given_name(const struct spoor_thread *thread)
{
	struct spoor_named_thread record = { .thread_serial = thread->serial };

	if (given_name)
		spoor_trace_text(SPOOR_BLOCK_NAMED_THREAD, thread->thread_id, &record, sizeof(record), given_name);
}

void spoor_thread_name(const char *name)
{
	given_name = name;
	if (spoor_thread->process_id)
		write_given_name(spoor_thread);
}

/* Starts a service thread that could not start when the trace began, for example in a signal handler that
 * interrupted malloc. */
static void start_service(void)
{
	if (!__atomic_load_n(&spoor_drainer_awaited, __ATOMIC_RELAXED))
		return;
	spoor_registry_lock();
	spoor_service_start(true);
	spoor_registry_unlock();
}

static int begin_trace(void)
{
	int error;

	spoor_registry_lock();
	error = spoor_trace_begin();
	/* A forked child without a trace stops trying. */
	if (error < 0) {
		spoor_registry_switch(false);
		spoor_mode_log(false);
		spoor_tracepoints_settle();
	}
	spoor_registry_unlock();
	return error < 0;
}

static int enters(bool is_first)
{
	if (is_first && !spoor_trace_is_ours())
		return begin_trace();
	start_service();
	return 0;
}

/* Gives the thread a lane of counters, if calls are or were counted. */
static void catches_up(struct spoor_thread *thread)
{
	if (spoor_trace_counts()) {
		spoor_registry_lock();
		spoor_counts_attach(thread);
		spoor_registry_unlock();
	}
	if (__atomic_load_n(&spoor_recording, __ATOMIC_SEQ_CST) == SPOOR_RECORDS)
		spoor_unrooted_threads_write(thread->thread_id, thread->serial, spoor_first_code);
	spoor_first_code = 0;
}

/* The thread may end by pthread_exit or cancellation: all of its calls end. */
static void ending(void)
{
	void (*unwind)(const void *) = (void (*)(const void *))spoor_log_unwind;

	if (spoor_mode_stores() && spoor_pool)
		unwind(NULL);
}

static void leaves(const struct spoor_thread *thread, const char *name)
{
	if (name)
		spoor_trace_thread(thread->thread_id, name);
}

static void ended(bool is_main)
{
	spoor_library_thread_ends();
	if (is_main)
		spoor_service_main_ended();
	else
		spoor_service_thread_ended();
}

const struct spoor_thread_observer spoor_thread_life = {
	.is_kept_out = spoor_registry_is_held,
	.enters = enters,
	.catches_up = catches_up,
	.logs = write_given_name,
	.ending = ending,
	.leaves = leaves,
	.left = spoor_trace_thread_lost,
	.ended = ended,
};
