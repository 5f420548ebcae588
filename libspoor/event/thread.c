/* SPDX-License-Identifier: MIT */
/*
 * thread.c - attaches a thread at its first event, and detaches it at its end.
 *
 * The first event of a forked child comes here as well, because its slot is wiped (thread_arena.h).
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

#include "base/after_fork.h"
#include "base/libc_stack.h"
#include "base/memory.h"
#include "base/time_source.h"
#include "event/pool.h"
#include "event/slices.h"
#include "event/thread_arena.h"

/* The round of a thread's destructors in which spoor's destructor acts. The thread sanitizer frees its own
 * state in the last one. */
#ifdef __SANITIZE_THREAD__
#define END_ROUND (PTHREAD_DESTRUCTOR_ITERATIONS - 1)
#else
#define END_ROUND PTHREAD_DESTRUCTOR_ITERATIONS
#endif

struct spoor_thread spoor_detached_thread;
__thread struct spoor_thread *spoor_thread __attribute__((tls_model("initial-exec"))) = &spoor_detached_thread;
__thread uint32_t spoor_first_code __attribute__((tls_model("initial-exec")));
static __thread unsigned char end_rounds __attribute__((tls_model("initial-exec")));
static __thread bool attaching __attribute__((tls_model("initial-exec")));

/* Kept in case that a thread logs again after its end. */
static __thread struct {
	uint64_t next_sequence, lost;
	uint32_t process_id, serial, trace, gaps;
} before __attribute__((tls_model("initial-exec")));

static const struct spoor_thread_observer *observer;
static char process_name[16];
static pthread_key_t end_key;
static bool end_key_made;
static uint32_t traces;		/* number of finished traces that threads of this process have logged to */

/* Leaves a slot that has expired. spoor_threads_expire keeps the slot until then. */
static void slot_abandon(void)
{
	struct spoor_thread *thread = spoor_thread;

	spoor_thread = &spoor_detached_thread;
	__atomic_store_n(&thread->thread_id, 0, __ATOMIC_RELEASE);
}

static void thread_ends(void *value)
{
	/* Another thread may claim the slot as soon as the kernel reports that the thread is gone. */
	bool is_ours = __atomic_load_n(&spoor_thread->process_id, __ATOMIC_ACQUIRE) != 0;

	/* The destructors of the program are traced, so this one waits until the last round. */
	if (++end_rounds == 1 && is_ours)
		observer->ending();
	if (end_rounds < END_ROUND) {
		pthread_setspecific(end_key, value);
		return;
	}
	if (is_ours)
		spoor_detach(spoor_thread);
	else
		slot_abandon();
	observer->ended(gettid() == getpid());
}

/* Calls thread_ends at the end of the main thread, even if it never logs. */
static void watch_main(void)
{
	if (end_key_made && gettid() == getpid())
		pthread_setspecific(end_key, &spoor_detached_thread);
}

/* Runs in a copy of the process that ends at once: its events must not be recorded. */
static void stop_recording(void)
{
	__atomic_store_n(&spoor_recording, SPOOR_RECORDS_NOT, __ATOMIC_SEQ_CST);
}

int spoor_threads_begin(const struct spoor_thread_observer *above)
{
	int error;

	observer = above;
	spoor_after_fork_silence_copies(stop_recording);
	spoor_page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	error = spoor_thread_arena_begin();
	if (error < 0)
		return error;
	spoor_threads_forget();
	prctl(PR_GET_NAME, process_name);
	/* The values of a process's first keys are stored in the thread itself. Setting a later key would call
	 * the program's malloc within an event. */
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
	spoor_thread = &spoor_detached_thread;
	watch_main();
}

void spoor_threads_forget(void)
{
	/* In a new PID name space a forked child may have its parent's process ID. */
	traces++;
	spoor_thread_arena_forget();
	spoor_detached_thread.cursor = 0;
}

void spoor_threads_expire(void)
{
	traces++;
	spoor_thread_arena_expire();
	spoor_detached_thread.cursor = 0;
}

bool spoor_is_attaching(void)
{
	return attaching;
}

static int attach(void)
{
	struct spoor_thread *thread;
	uint32_t process_id;

	/* A handler attached before signals were blocked; or the thread logs already, and must only catch up. */
	if (__atomic_load_n(&spoor_thread->process_id, __ATOMIC_RELAXED)) {
		observer->enters(false);
		observer->catches_up(spoor_thread);
		return 0;
	}
	/* The child of a vfork must not attach: the state that it stores would stay in its parent's thread,
	 * with the child's ID. */
	if (!spoor_thread_arena_is_ours())
		return 1;
	/* In a forked child this is a wiped slot, which must not be used. */
	slot_abandon();
	if (observer->enters(true) != 0)
		return 1;
	thread = spoor_thread_slot_claim();
	if (!thread)
		return 1;
	process_id = __atomic_load_n(&thread->process_id, __ATOMIC_RELAXED);
	if (before.process_id != process_id || before.trace != traces) {
		before.process_id = process_id;
		before.trace = traces;
		before.serial = spoor_thread_serial();
		before.next_sequence = before.lost = 0;
		/* A thread that attaches while events are not recorded must store a gap mark later. */
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
	observer->catches_up(thread);
	spoor_thread = thread;
	observer->logs(thread);
	return 0;
}

/* The caller has blocked signals: a handler could find the registry locked by the code that it interrupted. */
int spoor_attach(void)
{
	int saved = errno, result;

	/* This is an event inside the runtime: a function that the runtime calls is traced, or a signal handler
	 * runs. The caller counts the event as lost. */
	if (attaching || observer->is_kept_out())
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
	bool is_named = prctl(PR_GET_NAME, name) == 0 && strncmp(name, process_name, sizeof(name)) != 0;
	uint64_t mask;

	observer->leaves(thread, is_named ? name : NULL);
	/* A handler that logs from here on attaches again. Block signals until `before` is set: two slices with
	 * the same number would be taken for one. */
	mask = spoor_signals_block();
	spoor_thread = &spoor_detached_thread;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	spoor_slice_leave(thread);
	observer->left(thread);
	/* If the thread logs again, it continues with these numbers. */
	before.next_sequence = thread->next_sequence;
	before.lost = thread->lost;
	before.gaps = thread->gaps;
	spoor_thread_slot_free(thread);
	spoor_signals_restore(mask);
}
