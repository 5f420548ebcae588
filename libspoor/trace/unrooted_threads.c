/* SPDX-License-Identifier: MIT */
/* unrooted_threads.c - lists the threads that run when sleds wake, and writes their open calls. */
#define _GNU_SOURCE
#include "trace/unrooted_threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/libc_stack.h"
#include "base/time_source.h"
#include "base/memory.h"
#include "mode/mode.h"
#include "module/registry.h"
#include "trace/open_calls_at_start.h"
#include "base/system.h"
#include "event/thread.h"
#include "elf/unwinder.h"

#define THREADS_MAX 65536u

static uint32_t *threads;	/* the kernel's IDs; 0: removed from the list */
static uint32_t thread_end;	/* number of entries; spoor_roots_waiting counts those not removed */

static void load_unwinder(void *unused)
{
	(void)unused;
	spoor_unwinder_load();
}

void spoor_unrooted_threads_prepare(void)
{
	/* A sandbox may end a program that loads a library unexpectedly; a static program would get a second libc. */
	if (prctl(PR_GET_SECCOMP) != 0 || spoor_program_is_static())
		return;
	if ((!spoor_registry_is_on() || !spoor_mode_stores() || spoor_registry_holds()) && !spoor_mode_is_elsewhere())
		spoor_libc_stack_call(load_unwinder, NULL);
}

/* Reads the names of a folder without libc's allocator. */
static void read_folder(int folder)
{
	struct entry {
		uint64_t inode, offset;
		uint16_t bytes;
		uint8_t type;
		char name[];
	};
	_Alignas(8) char entries[4096];
	long got;

	while ((got = syscall(SYS_getdents64, folder, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < got;) {
			const struct entry *entry = (const struct entry *)(const void *)(entries + at);
			uint32_t thread = (uint32_t)strtoul(entry->name, NULL, 10);

			at += entry->bytes;
			if (thread && thread_end < THREADS_MAX)
				threads[thread_end++] = thread;
		}
	}
}

static bool remove_thread(uint32_t thread_id)
{
	for (uint32_t i = 0; i < thread_end; i++) {
		if (threads[i] != thread_id)
			continue;
		threads[i] = 0;
		__atomic_fetch_sub(&spoor_roots_waiting, 1, __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

/* Removes a thread that recorded without a gap: the trace already has its open calls. */
static void skip_recorded(const struct spoor_thread *thread)
{
	if (__atomic_load_n(&thread->gaps, __ATOMIC_RELAXED) == __atomic_load_n(&spoor_gaps, __ATOMIC_SEQ_CST))
		remove_thread(__atomic_load_n(&thread->thread_id, __ATOMIC_RELAXED));
}

void spoor_unrooted_threads_collect(void)
{
	int saved = errno, folder;

	if (!spoor_unwinder_is_there() || spoor_mode_is_elsewhere())
		return;
	if (!threads)
		threads = spoor_memory_map(THREADS_MAX * sizeof(*threads));
	folder = threads ? open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	thread_end = 0;
	if (folder >= 0) {
		read_folder(folder);
		close(folder);
	}
	__atomic_store_n(&spoor_roots_waiting, thread_end, __ATOMIC_RELEASE);
	spoor_threads_for_each(skip_recorded);
	errno = saved;
}

static bool entered;	/* the innermost call counts as entered, though its address is still in the entry sled */

static void add_frame(const struct spoor_stack_frame *frame)
{
	struct spoor_stack_frame behind = *frame;

	behind.at += entered;
	if (spoor_roots_add(&behind))
		entered = false;
}

void spoor_unrooted_threads_write(uint32_t thread_id, uint32_t serial, uint32_t code)
{
	uint32_t kind = code >> SPOOR_INDEX_BITS;
	uint64_t counter;
	bool whole;

	if (!__atomic_load_n(&spoor_roots_waiting, __ATOMIC_ACQUIRE))
		return;
	spoor_registry_lock();
	if (remove_thread(thread_id) && spoor_roots_begin() == 0) {
		counter = spoor_counter();
		/* A function that returns or tail-calls has already removed its frame. */
		if (kind == SPOOR_EVENT_EXIT || kind == SPOOR_EVENT_TAIL_EXIT)
			spoor_roots_add_index(code & SPOOR_INDEX_MAX);
		/* An entry with a frame is two events, and this is the second: the function was entered by the
		 * first. */
		entered = kind == SPOOR_EVENT_FRAME;
		whole = spoor_unwinder_walk(add_frame);
		spoor_roots_write(thread_id, serial, counter, !whole);
		spoor_roots_end();
	}
	spoor_registry_unlock();
}

void spoor_unrooted_threads_forget(void)
{
	thread_end = 0;
	__atomic_store_n(&spoor_roots_waiting, 0, __ATOMIC_RELEASE);
}
