/* SPDX-License-Identifier: MIT */
/* descriptor_samples.c - reads what descriptors refer to from /proc. */
#include "record/sched/descriptor_samples.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/system_call_format.h"
#include "record/sched/system_calls.h"
#include "base/system/monotonic.h"

#define SAMPLES_AT_ONCE 16	/* a sample takes about 5 us; the rings must be read meanwhile */
#define PENDING_MAX 4096u

enum { NEEDS_LOOK = 1, LOOKED_AT, CHANGED };

/* A key has 32 bits of the process, 12 of its generation, and 20 of the descriptor. */
#define DESCRIPTOR_BITS 20
#define DESCRIPTOR_MAX ((UINT64_C(1) << DESCRIPTOR_BITS) - 1)
#define GENERATION_MAX 0xfffu

static uint64_t key_of(const struct descriptor_samples *samples, uint32_t process_id, uint64_t descriptor)
{
	uint64_t generation = map64_find(&samples->generation_of, process_id) & GENERATION_MAX;

	return (uint64_t)process_id << 32 | generation << DESCRIPTOR_BITS | descriptor;
}

static void begin_generation(struct descriptor_samples *samples, uint32_t process_id)
{
	uint32_t *generation = map64_at(&samples->generation_of, process_id);

	if (generation)
		*generation += *generation < UINT32_MAX;
}

/* A system call may have changed the descriptor. */
static void change(struct descriptor_samples *samples, uint64_t key)
{
	if (map64_find(&samples->known, key) == LOOKED_AT)
		*map64_at(&samples->known, key) = CHANGED;
}

static void add_pending(struct descriptor_samples *samples, uint64_t key)
{
	uint32_t known = map64_find(&samples->known, key), *at;

	if (known == NEEDS_LOOK || known == LOOKED_AT || samples->count == PENDING_MAX)
		return;
	if (samples->count == samples->room) {
		size_t room = samples->room ? 2 * samples->room : 64;
		uint64_t *pending = reallocarray(samples->pending, room, sizeof(*pending));

		if (!pending)
			return;
		samples->pending = pending;
		samples->room = room;
	}
	at = map64_at(&samples->known, key);
	if (!at)
		return;
	*at = NEEDS_LOOK;
	samples->pending[samples->count++] = key;
}

void descriptor_samples_note(struct descriptor_samples *samples, const struct perf_call *call)
{
	uint8_t flags = system_call_flags((uint32_t)call->number);

	if (call->is_end && flags & SPOOR_SCHED_NAME_CLOSES_ALL && !call->value)
		begin_generation(samples, call->process_id);
	if (call->value > DESCRIPTOR_MAX)
		return;
	if (call->is_end && flags & SPOOR_SCHED_NAME_MAKES)
		change(samples, key_of(samples, call->process_id, call->value));
	else if (!call->is_end && flags & SPOOR_SCHED_NAME_CLOSES)
		change(samples, key_of(samples, call->process_id, call->value));
	else if (!call->is_end && flags & SPOOR_SCHED_NAME_DESCRIPTOR)
		add_pending(samples, key_of(samples, call->process_id, call->value));
}

static void sample(uint64_t key, struct sched_writer *writer)
{
	struct spoor_sched_target target = { .descriptor = (int32_t)(key & DESCRIPTOR_MAX) };
	char path[64], name[PATH_MAX];
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%" PRId32, (uint32_t)(key >> 32), target.descriptor);
	target.begin_ns = (uint64_t)monotonic_ns();
	got = readlink(path, name, sizeof(name) - 1);
	target.end_ns = (uint64_t)monotonic_ns();
	if (got <= 0)
		return;
	name[got] = '\0';
	sched_writer_target(writer, (uint32_t)(key >> 32), &target, name);
}

bool descriptor_samples_take(struct descriptor_samples *samples, struct sched_writer *writer)
{
	size_t taken = samples->count < SAMPLES_AT_ONCE ? samples->count : SAMPLES_AT_ONCE;

	/* The latest ones first: they are the most likely to be open. */
	for (size_t i = 0; i < taken; i++) {
		uint64_t key = samples->pending[--samples->count];

		sample(key, writer);
		*map64_at(&samples->known, key) = LOOKED_AT;
	}
	return samples->count;
}

void descriptor_samples_end(struct descriptor_samples *samples)
{
	map64_free(&samples->known);
	map64_free(&samples->generation_of);
	free(samples->pending);
	*samples = (struct descriptor_samples){ 0 };
}
