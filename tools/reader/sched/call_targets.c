/* SPDX-License-Identifier: MIT */
/* call_targets.c - finds the time in which the name of a descriptor holds, from the system calls of its process. */
#include "reader/sched/call_targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/files/printable_text.h"
#include "reader/sched/thread_calls.h"

struct target {
	int32_t descriptor;
	uint64_t begin_ns, end_ns;	/* of the look; then the time in which the name holds */
	char *name;
};

/* A system call that may have changed a descriptor. */
struct change {
	int32_t descriptor;
	uint64_t begin_ns, end_ns;
};

struct changes {
	struct change *list;
	size_t count, room;
};

struct call_targets {
	struct call_targets *next;	/* of another process */
	int64_t process_id;
	struct target *list;		/* sorted by descriptor and time */
	size_t count, room;
};

static int add_change(struct changes *changes, int32_t descriptor, const struct thread_call *call)
{
	if (changes->count == changes->room) {
		size_t room = changes->room ? 2 * changes->room : 256;
		struct change *list = reallocarray(changes->list, room, sizeof(*list));

		if (!list)
			return -ENOMEM;
		changes->list = list;
		changes->room = room;
	}
	changes->list[changes->count++] = (struct change){ descriptor, call->begin_ns, call->end_ns };
	return 0;
}

/* Returns the last name of a descriptor that begins up to @time_ns, or of a smaller descriptor; or null. */
static const struct target *find(const struct call_targets *targets, uint32_t descriptor, uint64_t time_ns)
{
	size_t low = 0, high = targets->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct target *target = &targets->list[middle];

		if ((uint32_t)target->descriptor < descriptor ||
		    ((uint32_t)target->descriptor == descriptor && target->begin_ns <= time_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &targets->list[low - 1] : NULL;
}

static bool has_target(const struct call_targets *targets, uint64_t descriptor)
{
	const struct target *target = find(targets, (uint32_t)descriptor, UINT64_MAX);

	return descriptor <= INT32_MAX && target && (uint32_t)target->descriptor == descriptor;
}

/* A change of any descriptor is one of each descriptor that has a name. */
static int add_change_of_all(const struct call_targets *targets, struct changes *changes, const struct thread_call *call)
{
	int error = 0;

	for (size_t i = 0; i < targets->count && !error; i++)
		if (!i || targets->list[i].descriptor != targets->list[i - 1].descriptor)
			error = add_change(changes, targets->list[i].descriptor, call);
	return error;
}

static int add_changes(const struct call_targets *targets, struct changes *changes, const struct thread_calls *calls)
{
	int error = 0;

	for (size_t i = 0; i < calls->count && !error; i++) {
		const struct thread_call *call = &calls->list[i];
		uint8_t flags = thread_call_flags(calls->file, call->number);
		bool has_ended = call->end_ns != UINT64_MAX;

		if (flags & SPOOR_SCHED_NAME_CLOSES_ALL && (!has_ended || !call->result))
			error = add_change_of_all(targets, changes, call);
		else if (flags & SPOOR_SCHED_NAME_CLOSES && has_target(targets, call->argument & UINT32_MAX))
			error = add_change(changes, (int32_t)call->argument, call);
		/* The result of a call without an end may be any. */
		if (!error && flags & SPOOR_SCHED_NAME_MAKES && !has_ended)
			error = add_change_of_all(targets, changes, call);
		else if (!error && flags & SPOOR_SCHED_NAME_MAKES && call->result >= 0 && has_target(targets, (uint64_t)call->result))
			error = add_change(changes, (int32_t)call->result, call);
	}
	return error;
}

static int read_changes(struct sched_file *file, const struct call_targets *targets, struct changes *changes)
{
	struct thread_calls calls = { 0 };
	int error = 0;

	for (size_t i = 0; i < file->thread_count && !error; i++) {
		const struct sched_thread_places *thread = &file->threads[i];

		if (thread->process_id != targets->process_id && !thread->is_reused)
			continue;
		error = thread_calls_read(&calls, file, thread->thread_id, 0);
		if (!error)
			error = add_changes(targets, changes, &calls);
	}
	thread_calls_free(&calls);
	return error;
}

/* Returns 0, also if the block is something else; or -ENOMEM. */
static int read_target(struct sched_file *file, uint64_t offset, struct call_targets *targets)
{
	struct spoor_sched_target target;
	struct block block;
	char *name;

	if (block_file_read(&file->blocks, offset, &block) != BLOCK_GOOD || block.extension.kind != SPOOR_BLOCK_SCHED_TARGET ||
	    block.body_bytes <= sizeof(target))
		return 0;
	memcpy(&target, block.body, sizeof(target));
	if (targets->count == targets->room) {
		size_t room = targets->room ? 2 * targets->room : 16;
		struct target *list = reallocarray(targets->list, room, sizeof(*list));

		if (!list)
			return -ENOMEM;
		targets->list = list;
		targets->room = room;
	}
	name = strndup((const char *)block.body + sizeof(target), block.body_bytes - sizeof(target));
	if (!name)
		return -ENOMEM;
	targets->list[targets->count++] = (struct target){ target.descriptor, target.begin_ns, target.end_ns, clean_name(name) };
	return 0;
}

static int compare_targets(const void *left, const void *right)
{
	const struct target *a = left, *b = right;

	if (a->descriptor != b->descriptor)
		return (uint32_t)a->descriptor < (uint32_t)b->descriptor ? -1 : 1;
	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

static int compare_changes(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	if (a->descriptor != b->descriptor)
		return (uint32_t)a->descriptor < (uint32_t)b->descriptor ? -1 : 1;
	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

/* Replaces the times of the looks by the times in which the names hold. Removes looks during a change. */
static void set_times(struct call_targets *targets, struct changes *changes)
{
	size_t at = 0, kept = 0;
	uint64_t last_ns = 0;		/* end of the last change that began before the look */
	int32_t descriptor = -1;

	if (changes->count)
		qsort(changes->list, changes->count, sizeof(*changes->list), compare_changes);
	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->list[i];

		if (i && target->descriptor != descriptor)
			last_ns = 0;
		descriptor = target->descriptor;
		for (; at < changes->count; at++) {
			const struct change *change = &changes->list[at];

			if (change->descriptor == target->descriptor && change->begin_ns > target->end_ns)
				break;
			if ((uint32_t)change->descriptor > (uint32_t)target->descriptor)
				break;
			if (change->descriptor == target->descriptor && change->end_ns > last_ns)
				last_ns = change->end_ns;
		}
		if (last_ns >= target->begin_ns) {
			free(target->name);
			continue;
		}
		target->begin_ns = last_ns;
		target->end_ns = at < changes->count && changes->list[at].descriptor == target->descriptor ?
			changes->list[at].begin_ns : UINT64_MAX;
		targets->list[kept++] = *target;
	}
	targets->count = kept;
}

static void free_one(struct call_targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		free(targets->list[i].name);
	free(targets->list);
	free(targets);
}

/* Returns null if memory runs out. */
static struct call_targets *read_process(struct sched_file *file, int64_t process_id)
{
	struct call_targets *targets = calloc(1, sizeof(*targets));
	struct changes changes = { 0 };
	int error = 0;

	if (!targets)
		return NULL;
	targets->process_id = process_id;
	pthread_mutex_lock(&file->lock);
	for (size_t i = 0; i < file->target_count && !error; i++)
		if (file->targets[i].process_id == process_id)
			error = read_target(file, file->targets[i].offset, targets);
	pthread_mutex_unlock(&file->lock);
	if (targets->count)
		qsort(targets->list, targets->count, sizeof(*targets->list), compare_targets);
	if (!error && targets->count)
		error = read_changes(file, targets, &changes);
	if (!error)
		set_times(targets, &changes);
	free(changes.list);
	if (!error)
		return targets;
	free_one(targets);
	return NULL;
}

const char *call_targets_find(struct sched_file *file, int64_t process_id, uint64_t descriptor, uint64_t time_ns)
{
	const struct target *target;
	struct call_targets *targets;

	/* After a loss, it is unknown whether a descriptor was changed. */
	if (!file->target_count || file->lost_calls)
		return NULL;
	pthread_mutex_lock(&file->descriptors_lock);
	for (targets = file->descriptors; targets && targets->process_id != process_id;)
		targets = targets->next;
	if (!targets) {
		targets = read_process(file, process_id);
		if (targets) {
			targets->next = file->descriptors;
			file->descriptors = targets;
		}
	}
	pthread_mutex_unlock(&file->descriptors_lock);
	/* The list of a process no longer changes. */
	target = targets ? find(targets, (uint32_t)descriptor, time_ns) : NULL;
	return target && (uint32_t)target->descriptor == (uint32_t)descriptor && time_ns <= target->end_ns ? target->name : NULL;
}

void call_targets_free(struct call_targets *list)
{
	while (list) {
		struct call_targets *next = list->next;

		free_one(list);
		list = next;
	}
}
