/* SPDX-License-Identifier: MIT */
/* wait_samples.c - reads the system calls of waiting threads from /proc. */
#include "record/sched/wait_samples.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/sched/system_calls.h"
#include "base/system/monotonic.h"

#define SAMPLES_AT_ONCE 32	/* a sample takes about 20 us; the rings must be read meanwhile */

static struct waiting_thread *thread_of(struct wait_samples *samples, const struct perf_change *change)
{
	uint32_t *at = map64_at(&samples->thread_at, change->thread_id);
	struct waiting_thread *thread;

	if (!at)
		return NULL;
	if (!*at) {
		if (samples->count == samples->room) {
			size_t room = samples->room ? 2 * samples->room : 64;
			struct waiting_thread *threads = reallocarray(samples->threads, room, sizeof(*threads));

			if (!threads)
				return NULL;
			samples->threads = threads;
			samples->room = room;
		}
		samples->threads[samples->count++] = (struct waiting_thread){ 0 };
		*at = (uint32_t)samples->count;
	}
	thread = &samples->threads[*at - 1];
	thread->process_id = change->process_id;
	thread->thread_id = change->thread_id;
	return thread;
}

static void list(struct wait_samples *samples, struct waiting_thread *thread)
{
	if (thread->is_listed)
		return;
	if (samples->pending_count == samples->pending_room) {
		size_t room = samples->pending_room ? 2 * samples->pending_room : 64;
		uint32_t *pending = reallocarray(samples->pending, room, sizeof(*pending));

		if (!pending)
			return;
		samples->pending = pending;
		samples->pending_room = room;
	}
	samples->pending[samples->pending_count++] = (uint32_t)(thread - samples->threads);
	thread->is_listed = true;
}

void wait_samples_note(struct wait_samples *samples, const struct perf_change *change)
{
	struct waiting_thread *thread;

	if (change->kind == SPOOR_SCHED_FAULT || change->kind == SPOOR_SCHED_WAKING || change->kind == SPOOR_SCHED_STATE)
		return;
	thread = thread_of(samples, change);
	if (!thread)
		return;
	thread->is_waiting = change->kind == SPOOR_SCHED_OUT;
	thread->since_ns = change->time_ns;
	if (thread->is_waiting)
		list(samples, thread);
}

/* Reads the system call of a thread. Returns whether it waits in one. */
static bool read_call(const struct waiting_thread *thread, struct spoor_sched_wait *wait)
{
	char path[64], text[256];
	uint64_t number;
	ssize_t got;
	int file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/syscall", thread->process_id, thread->thread_id);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	wait->begin_ns = (uint64_t)monotonic_ns();
	got = read(file, text, sizeof(text) - 1);
	wait->end_ns = (uint64_t)monotonic_ns();
	close(file);
	if (got <= 0)
		return false;
	text[got] = '\0';
	/* "202 0x7f00 0x80 ...", or "running", or "-1 ..." outside of a system call, as in a page fault */
	wait->number = UINT32_MAX;
	if (text[0] == '-')
		return true;
	if (sscanf(text, "%" SCNu64 " 0x%" SCNx64, &number, &wait->argument) != 2)
		return false;
	wait->number = (uint32_t)number;
	return true;
}

static void sample(const struct waiting_thread *thread, struct sched_writer *writer)
{
	struct spoor_sched_wait wait = { 0 };
	char path[64], target[PATH_MAX] = "", name[32] = "";

	if (!read_call(thread, &wait))
		return;
	if (wait.number != UINT32_MAX)
		snprintf(name, sizeof(name), SYSTEM_CALL_UNKNOWN "%" PRIu32, wait.number);
	if (system_call_name(wait.number))
		snprintf(name, sizeof(name), "%s", system_call_name(wait.number));
	if (system_call_flags(wait.number) & SPOOR_SCHED_NAME_DESCRIPTOR) {
		ssize_t got;

		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%" PRIu64, thread->process_id, wait.argument);
		got = readlink(path, target, sizeof(target) - 1);
		target[got > 0 ? got : 0] = '\0';
		wait.flags |= SPOOR_SCHED_WAIT_DESCRIPTOR;
	}
	sched_writer_wait(writer, thread->process_id, thread->thread_id, &wait, name, target);
}

bool wait_samples_take(struct wait_samples *samples, struct sched_writer *writer)
{
	uint64_t before_ns = (uint64_t)monotonic_ns() - WAIT_SAMPLES_NS;
	size_t kept = 0, taken = 0;

	for (size_t i = 0; i < samples->pending_count; i++) {
		struct waiting_thread *thread = &samples->threads[samples->pending[i]];

		if (thread->is_waiting && (thread->since_ns > before_ns || taken == SAMPLES_AT_ONCE)) {
			samples->pending[kept++] = samples->pending[i];
			continue;
		}
		thread->is_listed = false;
		if (!thread->is_waiting)
			continue;
		sample(thread, writer);
		taken++;
	}
	samples->pending_count = kept;
	return kept;
}

void wait_samples_end(struct wait_samples *samples)
{
	map64_free(&samples->thread_at);
	free(samples->threads);
	free(samples->pending);
	*samples = (struct wait_samples){ 0 };
}
