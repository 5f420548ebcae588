/* SPDX-License-Identifier: MIT */
/*
 * thread.c - a thread's first event, and its end.
 *
 * All threads' states lie in one arena that the kernel wipes in a forked child,
 * so that the child's first event finds cursor 0 and comes here, whatever code
 * of the child's runs first: atfork handlers would come too late.
 */
#define _GNU_SOURCE
#include "thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aside.h"
#include "counter.h"
#include "counts.h"
#include "memory.h"
#include "mode.h"
#include "pool.h"
#include "processor.h"
#include "registry.h"
#include "rooted.h"
#include "runtime.h"
#include "service.h"
#include "slices.h"
#include "system.h"
#include "trace.h"

#define THREADS_MAX 65536u

/* The round of a thread's destructors that is ours. The thread sanitizer's own
 * state goes in the last one. */
#ifdef __SANITIZE_THREAD__
#define END_ROUND (PTHREAD_DESTRUCTOR_ITERATIONS - 1)
#else
#define END_ROUND PTHREAD_DESTRUCTOR_ITERATIONS
#endif
#define SWEEP_SLOTS 4
#define SWEPT UINT32_MAX	/* in place of a process ID */

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

static struct spoor_thread *arena;
static uint32_t arena_used;	/* slots from here on were never claimed */
static uint32_t arena_hint;	/* where a free one may be */
static uint32_t serials;	/* given out so far */
static uint32_t arena_swept;	/* slots looked at by slots_sweep so far */
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
}

/* Lets the end of the main thread be known, whether or not it logs. */
static void watch_main(void)
{
	if (end_key_made && gettid() == getpid())
		pthread_setspecific(end_key, &spoor_nobody);
}

int spoor_threads_begin(void)
{
	spoor_processor_begin();
	arena = spoor_memory_map(THREADS_MAX * sizeof(*arena));
	if (!arena)
		return -ENOMEM;
	if (madvise(arena, THREADS_MAX * sizeof(*arena), MADV_WIPEONFORK) < 0)
		return -errno;
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

/* The arena's first slot is no thread's: it says that the arena was not wiped. */
bool spoor_threads_forked(void)
{
	return arena && !__atomic_load_n(&arena[0].process_id, __ATOMIC_RELAXED);
}

bool spoor_threads_forked_unseen(void)
{
	uint32_t nobody = 0;

	return arena && !__atomic_load_n(&arena[0].thread_id, __ATOMIC_RELAXED) &&
	       __atomic_compare_exchange_n(&arena[0].thread_id, &nobody, (uint32_t)getpid(), false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Whether the caller runs in memory of its own: not so between vfork and exec. */
static bool memory_is_ours(void)
{
	uint32_t owner = __atomic_load_n(&arena[0].thread_id, __ATOMIC_RELAXED);

	return !owner || owner == (uint32_t)getpid();
}

void spoor_threads_after_fork(void)
{
	/* Emulators say that they will wipe it, and do not. Late is better than never. */
	if (!spoor_threads_forked())
		madvise(arena, THREADS_MAX * sizeof(*arena), MADV_DONTNEED);
	arena[0].thread_id = (uint32_t)getpid();
	spoor_thread = &spoor_nobody;
	watch_main();
}

void spoor_threads_forget(void)
{
	arena[0].process_id = arena[0].thread_id = (uint32_t)getpid();
	/* Slots go on from where the parent was: where fork was called past libc,
	 * the thread that called it still points at its own. */
	arena_hint = arena_used = arena_used ? arena_used : 1;
	spoor_nobody.cursor = 0;
	serials = 0;
	spoor_rooted_forget();
}

void spoor_threads_expire(void)
{
	traces++;
	for (uint32_t i = 1; i < arena_used; i++) {
		arena[i].cursor = arena[i].counts = 0;
		arena[i].shares_counts = 0;
		__atomic_store_n(&arena[i].process_id, 0, __ATOMIC_RELEASE);
	}
	spoor_nobody.cursor = 0;
}

void spoor_threads_each(void (*each)(const struct spoor_thread *thread))
{
	for (uint32_t i = 1; i < __atomic_load_n(&arena_used, __ATOMIC_RELAXED); i++) {
		if (__atomic_load_n(&arena[i].process_id, __ATOMIC_RELAXED))
			each(&arena[i]);
	}
}

/* A thread's quarter goes down, which no word in its slice forbids: all that comes of it
 * is a full time stamp more. */
void spoor_threads_gap(void)
{
	__atomic_fetch_add(&spoor_gaps, 1, __ATOMIC_SEQ_CST);
	for (uint32_t i = 1; i < __atomic_load_n(&arena_used, __ATOMIC_ACQUIRE); i++) {
		if (__atomic_load_n(&arena[i].process_id, __ATOMIC_ACQUIRE))
			spoor_quarter_lower(&arena[i]);
	}
}

void spoor_threads_turn(enum spoor_recording recording)
{
	uint32_t before = __atomic_exchange_n(&spoor_recording, recording, __ATOMIC_SEQ_CST);

	if (before == SPOOR_RECORDS && recording != SPOOR_RECORDS)
		spoor_threads_gap();
}

/* Gives a slot back. Its thread has left it, or is no more. */
static void slot_free(struct spoor_thread *thread)
{
	spoor_slice_leave(thread);
	if (spoor_pool && spoor_pool->ring)
		spoor_ring_ended(thread);
	spoor_counts_detach(thread);
	__atomic_store_n(&thread->thread_id, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&thread->process_id, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&arena_hint, (uint32_t)(thread - arena), __ATOMIC_RELAXED);
}

/*
 * Looks at a few slots for threads that ended without telling us: what libc frees
 * after the last destructor may be traced, and some are not libc's at all. Each
 * thread leaves one slot at most, and each new one looks at more, so they
 * never add up.
 */
static void slots_sweep(void)
{
	uint32_t used = __atomic_load_n(&arena_used, __ATOMIC_RELAXED), ours = arena[0].process_id;

	for (int i = 0; i < SWEEP_SLOTS && used > 1; i++) {
		uint32_t slot = 1 + __atomic_fetch_add(&arena_swept, 1, __ATOMIC_RELAXED) % (used - 1);
		struct spoor_thread *thread = &arena[slot];
		uint32_t owner = __atomic_load_n(&thread->process_id, __ATOMIC_ACQUIRE);
		uint32_t thread_id = __atomic_load_n(&thread->thread_id, __ATOMIC_RELAXED);

		/* Expired, and its thread never came back. */
		if (!owner && thread_id && tgkill((pid_t)ours, (pid_t)thread_id, 0) < 0 && errno == ESRCH)
			__atomic_compare_exchange_n(&thread->thread_id, &thread_id, 0, false, __ATOMIC_RELEASE,
						    __ATOMIC_RELAXED);
		/* One that is just being claimed has no thread ID yet. */
		if (owner != ours || !thread_id || tgkill((pid_t)ours, (pid_t)thread_id, 0) == 0 || errno != ESRCH)
			continue;
		if (!__atomic_compare_exchange_n(&thread->process_id, &owner, SWEPT, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		/* Another sweep may have freed it meanwhile, and a new thread have it. */
		if (__atomic_load_n(&thread->thread_id, __ATOMIC_RELAXED) == thread_id)
			slot_free(thread);
		else
			__atomic_store_n(&thread->process_id, ours, __ATOMIC_RELEASE);
	}
}

/* A free slot; claimed by its process ID. */
static struct spoor_thread *slot_claim(uint32_t process_id)
{
	uint32_t begin = __atomic_load_n(&arena_hint, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < THREADS_MAX; i++) {
		uint32_t slot = (begin + i) % THREADS_MAX, nobody = 0, used;

		/* In use, or expired with its thread still pointing at it. */
		if (__atomic_load_n(&arena[slot].thread_id, __ATOMIC_ACQUIRE))
			continue;
		if (!__atomic_compare_exchange_n(&arena[slot].process_id, &nobody, process_id, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&arena_hint, slot + 1, __ATOMIC_RELAXED);
		used = __atomic_load_n(&arena_used, __ATOMIC_RELAXED);
		while (used <= slot && !__atomic_compare_exchange_n(&arena_used, &used, slot + 1, false,
								    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
		return &arena[slot];
	}
	return NULL;
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

static int attach(void)
{
	struct spoor_thread *thread;

	/* A handler was here before signals were blocked; or it logged, and is to count. */
	if (spoor_thread->process_id) {
		take_lane(spoor_thread);
		tell_roots(spoor_thread);
		return 0;
	}
	/* A vforked child's events are no thread's: its parent's thread, which goes
	 * on with what we set here, would keep the child's ID. */
	if (!memory_is_ours())
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
		}
		spoor_registry_unlock();
		if (error < 0)
			return 1;
	}
	slots_sweep();
	thread = slot_claim(arena[0].process_id);
	if (!thread)
		return 1;
	if (before.process_id != arena[0].process_id || before.trace != traces) {
		before.process_id = arena[0].process_id;
		before.trace = traces;
		before.serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
		before.next_sequence = before.lost = 0;
		/* One that comes while nothing is recorded has a gap to tell. */
		before.gaps = __atomic_load_n(&spoor_gaps, __ATOMIC_SEQ_CST);
		before.gaps -= __atomic_load_n(&spoor_recording, __ATOMIC_SEQ_CST) != SPOOR_RECORDS;
	}
	thread->cursor = 0;
	if (spoor_counter_is_clock)
		thread->quarter = SPOOR_QUARTER_NEVER;
	thread->oldest = thread->newest = thread->ring = 0;
	__atomic_store_n(&thread->gaps, before.gaps, __ATOMIC_RELAXED);
	thread->next_sequence = before.next_sequence;
	thread->lost = before.lost;
	thread->serial = before.serial;
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
	slot_free(thread);
	spoor_signals_restore(mask);
}
