/* SPDX-License-Identifier: MIT */
/* thread_arena.c - an array of slots for the states of threads: claims, frees, sweeps and lists them. */
#define _GNU_SOURCE
#include "event/thread_arena.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "event/count_lanes.h"
#include "event/slices.h"
#include "event/thread.h"

#define THREADS_MAX 65536u
#define SWEEP_SLOTS 4
#define SWEPT UINT32_MAX	/* in place of a process ID: a sweep is freeing the slot */

static struct spoor_thread *arena;
static uint32_t arena_used;	/* slots from here on were never claimed */
static uint32_t arena_hint;	/* where a free slot may be */
static uint32_t serials;	/* given out so far */
static uint32_t arena_swept;	/* slots looked at by slots_sweep so far */

int spoor_thread_arena_begin(void)
{
	arena = spoor_memory_map(THREADS_MAX * sizeof(*arena));
	if (!arena)
		return -ENOMEM;
	return madvise(arena, THREADS_MAX * sizeof(*arena), MADV_WIPEONFORK) < 0 ? -errno : 0;
}

/* No thread has the first slot of the arena. Its process ID shows whether a fork has wiped the arena. */
bool spoor_threads_forked(void)
{
	return arena && !__atomic_load_n(&arena[0].process_id, __ATOMIC_RELAXED);
}

bool spoor_threads_forked_unseen(void)
{
	uint32_t none = 0;

	return arena && !__atomic_load_n(&arena[0].thread_id, __ATOMIC_RELAXED) &&
	       __atomic_compare_exchange_n(&arena[0].thread_id, &none, (uint32_t)getpid(), false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

bool spoor_thread_arena_is_ours(void)
{
	uint32_t owner = __atomic_load_n(&arena[0].thread_id, __ATOMIC_RELAXED);

	return !owner || owner == (uint32_t)getpid();
}

void spoor_thread_arena_after_fork(void)
{
	/* Emulators accept MADV_WIPEONFORK without wiping, so wipe the arena here. */
	if (!spoor_threads_forked())
		madvise(arena, THREADS_MAX * sizeof(*arena), MADV_DONTNEED);
	arena[0].thread_id = (uint32_t)getpid();
}

void spoor_thread_arena_forget(void)
{
	arena[0].process_id = arena[0].thread_id = (uint32_t)getpid();
	/* New slots are taken after the parent's: if fork was called without libc, the calling thread still
	 * points to its old slot. */
	arena_hint = arena_used = arena_used ? arena_used : 1;
	serials = 0;
}

void spoor_thread_arena_expire(void)
{
	for (uint32_t i = 1; i < arena_used; i++) {
		arena[i].cursor = arena[i].counts = 0;
		arena[i].shares_counts = 0;
		__atomic_store_n(&arena[i].process_id, 0, __ATOMIC_RELEASE);
	}
}

uint32_t spoor_thread_serial(void)
{
	return __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
}

void spoor_threads_for_each(void (*each)(const struct spoor_thread *thread))
{
	for (uint32_t i = 1; i < __atomic_load_n(&arena_used, __ATOMIC_RELAXED); i++) {
		if (__atomic_load_n(&arena[i].process_id, __ATOMIC_RELAXED))
			each(&arena[i]);
	}
}

/* Lowering a thread's quarter is always allowed: it only costs one more full time stamp. */
void spoor_threads_gap(void)
{
	__atomic_fetch_add(&spoor_gaps, 1, __ATOMIC_SEQ_CST);
	for (uint32_t i = 1; i < __atomic_load_n(&arena_used, __ATOMIC_SEQ_CST); i++) {
		if (__atomic_load_n(&arena[i].process_id, __ATOMIC_SEQ_CST))
			spoor_quarter_lower(&arena[i]);
	}
}

void spoor_threads_turn(enum spoor_recording recording)
{
	uint32_t before = __atomic_exchange_n(&spoor_recording, recording, __ATOMIC_SEQ_CST);

	if (before == SPOOR_RECORDS && recording != SPOOR_RECORDS)
		spoor_threads_gap();
}

void spoor_thread_slot_free(struct spoor_thread *thread)
{
	spoor_slice_leave(thread);
	if (spoor_pool && spoor_pool->ring)
		spoor_ring_ended(thread);
	spoor_count_lane_leave(thread);
	__atomic_store_n(&thread->thread_id, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&thread->process_id, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&arena_hint, (uint32_t)(thread - arena), __ATOMIC_RELAXED);
}

/* Looks at a few slots for threads that ended without calling their destructor: memory that libc frees after
 * the last destructor may be traced, and some threads are not libc's. A thread leaves at most one slot, and
 * each new thread checks several, so such slots never accumulate. */
static void slots_sweep(void)
{
	uint32_t used = __atomic_load_n(&arena_used, __ATOMIC_RELAXED), ours = arena[0].process_id;

	for (int i = 0; i < SWEEP_SLOTS && used > 1; i++) {
		uint32_t slot = 1 + __atomic_fetch_add(&arena_swept, 1, __ATOMIC_RELAXED) % (used - 1);
		struct spoor_thread *thread = &arena[slot];
		uint32_t owner = __atomic_load_n(&thread->process_id, __ATOMIC_ACQUIRE);
		uint32_t thread_id = __atomic_load_n(&thread->thread_id, __ATOMIC_RELAXED);

		/* The slot has expired, and its thread has ended without another event. */
		if (!owner && thread_id && tgkill((pid_t)ours, (pid_t)thread_id, 0) < 0 && errno == ESRCH)
			__atomic_compare_exchange_n(&thread->thread_id, &thread_id, 0, false, __ATOMIC_RELEASE,
						    __ATOMIC_RELAXED);
		/* A slot that is being claimed has no thread ID yet. */
		if (owner != ours || !thread_id || tgkill((pid_t)ours, (pid_t)thread_id, 0) == 0 || errno != ESRCH)
			continue;
		if (!__atomic_compare_exchange_n(&thread->process_id, &owner, SWEPT, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		/* Another sweep may have freed the slot, and a new thread may have claimed it. */
		if (__atomic_load_n(&thread->thread_id, __ATOMIC_RELAXED) == thread_id)
			spoor_thread_slot_free(thread);
		else
			__atomic_store_n(&thread->process_id, ours, __ATOMIC_RELEASE);
	}
}

struct spoor_thread *spoor_thread_slot_claim(void)
{
	uint32_t begin, process_id = arena[0].process_id;

	slots_sweep();
	begin = __atomic_load_n(&arena_hint, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < THREADS_MAX; i++) {
		uint32_t slot = (begin + i) % THREADS_MAX, none = 0, used;

		/* The slot is in use, or has expired while its thread still points to it. */
		if (__atomic_load_n(&arena[slot].thread_id, __ATOMIC_ACQUIRE))
			continue;
		if (!__atomic_compare_exchange_n(&arena[slot].process_id, &none, process_id, false,
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
