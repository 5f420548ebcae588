/* SPDX-License-Identifier: MIT */
/*
 * descriptor_samples.h - finds out what the descriptors refer to that system calls use.
 *
 * Looks once at each descriptor of a process, and again after a system call that may have changed it. A sample has the
 * times before and after the look, so that a reader knows which system calls it names. A descriptor that is closed
 * before the look, within some milliseconds, has no name.
 */
#ifndef SPOOR_TOOLS_RECORD_DESCRIPTOR_SAMPLES_H
#define SPOOR_TOOLS_RECORD_DESCRIPTOR_SAMPLES_H

#include "reader/files/map64.h"
#include "record/sched/sched_writer.h"

struct descriptor_samples {
	struct map64 known;		/* by process, its generation, and descriptor */
	struct map64 generation_of;	/* of a process: how often it has closed any descriptors, as in execve(2) */
	uint64_t *pending;		/* keys of `known` that need a look */
	size_t count, room;
};

/* Takes the begin or the end of a system call. Without memory, its descriptor gets no name. */
void descriptor_samples_note(struct descriptor_samples *samples, const struct perf_call *call);

/* Looks at descriptors and writes what they are. Returns whether others are left. */
bool descriptor_samples_take(struct descriptor_samples *samples, struct sched_writer *writer);

void descriptor_samples_end(struct descriptor_samples *samples);

#endif
