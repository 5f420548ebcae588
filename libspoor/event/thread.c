/* SPDX-License-Identifier: MIT */
/*
 * thread.c - a thread's first event, and its end.
 *
 * A forked child's first event comes here as well: its slot is wiped (thread_arena.h).
 */
#define _GNU_SOURCE
#include "event/thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/libc_stack.h"
#include "base/time_source.h"
#include "mode/counts.h"
#include "mode/mode.h"
#include "event/pool.h"
#include "base/processor.h"
#include "module/registry.h"
#include "trace/unrooted_threads.h"
#include "api/runtime.h"
#include "trace/service.h"
#include "event/slices.h"
#include "event/thread_arena.h"
#include "trace/trace.h"
#include "probe/semaphores.h"

/* The round of a thread's destructors that is ours. The thread sanitizer's own
 * state goes in the last one. */
#ifdef __SANITIZE_THREAD__
#define END_ROUND (PTHREAD_DESTRUCTOR_ITERATIONS - 1)
#else
#define END_ROUND PTHREAD_DESTRUCTOR_ITERATIONS
#endif

struct spoor_thread spoor_nobody;
__thread struct spoor_thread *spoor_thread __attribute__((tls_model("initial-exec"))) = &spoor_nobody;
__thread char spoor_in_handler __attribute__((tls_model("initial-exec")));
__thread uint32_t spoor_first_code __attribute__((tls_model("initial-exec")));
static __thread unsigned char end_rounds __attribute__((tls_model("initial-exec")));
static __thread bool attaching __attribute__((tls_model("initial-exec")));

/* What becomes of a thread that ends and logs again. */
static __thread struct {
	uint64_t next_sequence, lost;
	uint32_t process_id, serial, trace, gaps;
} before __attribute__((tls_model("initial-exec")));

static __thread const char *given_name __attribute__((tls_model("initial-exec")));

static char process_name[16];
static pthread_key_t end_key;
static bool end_key_made;
static uint32_t traces;		/* that threads of this process have logged to and are over */

/* Lets go of a slot that has expired: spoor_threads_expire keeps it for its thread. */
static void slot_abandon(void)
{
	struct spoor_thread *thread = spoor_thread;

	spoor_thread = &spoor_nobody;
	__atomic_store_n(&thread->thread_id, 0, __ATOMIC_RELEASE);
}

static void thread_ends(void *value)
{
	/* It is claimed anew as soon as the kernel says that its thread is no more. */
	bool is_ours = __atomic_load_n(&spoor_thread->process_id, __ATOMIC_ACQUIRE) != 0;

	/* Other destructors are the program's, and traced: ours waits for the last
	 * round of them. */
	if (++end_rounds == 1 && is_ours && spoor_mode_stores() && spoor_pool) {
		/* By pthread_exit or cancellation, perhaps: no call of it goes on. */
		void (*unwind)(const void *) = (void (*)(const void *))spoor_log_unwind;

		unwind(NULL);
	}
	if (end_rounds < END_ROUND) {
		pthread_setspecific(end_key, value);
		return;
	}
	if (is_ours)
		spoor_detach(spoor_thread);
	else
		slot_abandon();
	/* The program goes on until its last thread ends. */
	if (gettid() == getpid())
		spoor_service_main_ended();
	else
		spoor_service_thread_ended();
}

/* Lets the end of the main thread be known, whether or not it logs. */
static void watch_main(void)
{
	if (end_key_made && gettid() == getpid())
		pthread_setspecific(end_key, &spoor_nobody);
}

int spoor_threads_begin(void)
{
	int error;

	spoor_processor_begin();
	spoor_page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	error = spoor_thread_arena_begin();
	if (error < 0)
		return error;
	spoor_threads_forget();
	prctl(PR_GET_NAME, process_name);
	/* The first keys of a process have room in the thread itself; setting a
	 * later one would call the program's malloc from within an event. */
	end_key_made = pthread_key_create(&end_key, thread_ends) == 0;
	if (end_key_made && end_key >= 32) {
		pthread_key_delete(end_key);
		end_key_made = false;
	}
	watch_main();
	return 0;
}

void spoor_threads_after_fork(void)
{
	spoor_thread_arena_after_fork();
	spoor_thread = &spoor_nobody;
	watch_main();
}

void spoor_threads_forget(void)
{
	/* In a name space of its own a forked child may have its parent's process ID. */
	traces++;
	spoor_thread_arena_forget();
	spoor_nobody.cursor = 0;
	spoor_rooted_forget();
}

void spoor_threads_expire(void)
{
	traces++;
	spoor_thread_arena_expire();
	spoor_nobody.cursor = 0;
}

static void write_given_name(const struct spoor_thread *thread)
{
	struct spoor_named_thread record = { .thread_serial = thread->serial };

	spoor_trace_text(SPOOR_BLOCK_NAMED_THREAD, thread->thread_id, &record, sizeof(record), given_name);
}

void spoor_thread_name(const char *name)
{
	given_name = name;
	if (spoor_thread->process_id)
		write_given_name(spoor_thread);
}

/* Where calls are counted, or were. */
static void take_lane(struct spoor_thread *thread)
{
	if (!spoor_trace_counts())
		return;
	spoor_registry_lock();
	spoor_counts_attach(thread);
	spoor_registry_unlock();
}

static void tell_roots(const struct spoor_thread *thread)
{
	if (__atomic_load_n(&spoor_recording, __ATOMIC_SEQ_CST) == SPOOR_RECORDS)
		spoor_rooted_write(thread->thread_id, thread->serial, spoor_first_code);
	spoor_first_code = 0;
}

bool spoor_is_attaching(void)
{
	return attaching;
}

/* The trace began in an event that came at a bad moment: of a signal handler in malloc, say. */
static void start_service(void)
{
	if (!__atomic_load_n(&spoor_drainer_awaited, __ATOMIC_RELAXED))
		return;
	spoor_registry_lock();
	spoor_service_start(true);
	spoor_registry_unlock();
}

static int attach(void)
{
	struct spoor_thread *thread;
	uint32_t process_id;

	/* A handler was here before signals were blocked; or it logged, and is to count. */
	if (spoor_thread->process_id) {
		start_service();
		take_lane(spoor_thread);
		tell_roots(spoor_thread);
		return 0;
	}
	/* A vforked child's events are no thread's: its parent's thread, which goes
	 * on with what we set here, would keep the child's ID. */
	if (!spoor_thread_arena_is_ours())
		return 1;
	/* In a forked child this is a wiped slot: none of ours until it is whole. */
	slot_abandon();
	if (!spoor_trace_is_ours()) {
		int error;

		spoor_registry_lock();
		error = spoor_trace_begin();
		/* A forked child that gets no trace stops asking for one. */
		if (error < 0) {
			spoor_registry_switch(false);
			spoor_runtime_log(false);
			spoor_tracepoints_settle();
		}
		spoor_registry_unlock();
		if (error < 0)
			return 1;
	} else {
		start_service();
	}
	thread = spoor_thread_slot_claim();
	if (!thread)
		return 1;
	process_id = __atomic_load_n(&thread->process_id, __ATOMIC_RELAXED);
	if (before.process_id != process_id || before.trace != traces) {
		before.process_id = process_id;
		before.trace = traces;
		before.serial = spoor_thread_serial();
		before.next_sequence = before.lost = 0;
		/* One that comes while nothing is recorded has a gap to tell. */
		before.gaps = __atomic_load_n(&spoor_gaps, __ATOMIC_SEQ_CST);
		before.gaps -= __atomic_load_n(&spoor_recording, __ATOMIC_SEQ_CST) != SPOOR_RECORDS;
	}
	__atomic_store_n(&thread->cursor, 0, __ATOMIC_RELAXED);
	if (spoor_counter_is_clock)
		thread->quarter = SPOOR_QUARTER_NEVER;
	thread->oldest = thread->newest = thread->ring = 0;
	__atomic_store_n(&thread->gaps, before.gaps, __ATOMIC_RELAXED);
	thread->next_sequence = before.next_sequence;
	thread->lost = before.lost;
	__atomic_store_n(&thread->serial, before.serial, __ATOMIC_RELAXED);
	__atomic_store_n(&thread->thread_id, (uint32_t)gettid(), __ATOMIC_RELAXED);
	if (end_key_made)
		pthread_setspecific(end_key, thread);
	take_lane(thread);
	tell_roots(thread);
	spoor_thread = thread;
	if (given_name)
		write_given_name(thread);
	return 0;
}

/* With signals blocked: a handler could find the registry locked by the code that it
 * interrupted. */
int spoor_attach(void)
{
	int saved = errno, result;

	/* We are within a call of ours: what we use is itself traced, or a signal
	 * handler came in between. The event is counted as lost. */
	if (attaching || spoor_registry_is_held())
		return 1;
	attaching = true;
	result = attach();
	attaching = false;
	errno = saved;
	return result;
}

void spoor_detach(struct spoor_thread *thread)
{
	char name[16];
	uint64_t mask;

	if (prctl(PR_GET_NAME, name) == 0 && strncmp(name, process_name, sizeof(name)) != 0)
		spoor_trace_thread(thread->thread_id, name);
	/* A handler that logs from here on attaches anew: not before it is known how it goes on,
	 * for two slices of the same number would be one. */
	mask = spoor_signals_block();
	spoor_thread = &spoor_nobody;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	spoor_slice_leave(thread);
	spoor_trace_thread_lost(thread);
	/* Should it log once more, it goes on as the thread that it was. */
	before.next_sequence = thread->next_sequence;
	before.lost = thread->lost;
	before.gaps = thread->gaps;
	spoor_thread_slot_free(thread);
	spoor_signals_restore(mask);
}
