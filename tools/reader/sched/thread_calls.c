/* SPDX-License-Identifier: MIT */
/* thread_calls.c - reads begins and ends of system calls, and joins them to calls. */
#include "reader/sched/thread_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/files/process.h"
#include "reader/sched/call_targets.h"
#include "reader/symbols/data_symbols.h"

#define NUMBER_UNKNOWN (-1)	/* of the end of rt_sigreturn(2) */
#define ERRNO_MAX 4095
#define CLOCKS_APART_NS 1000	/* the clocks of events and of system calls differ by less */

struct entry {
	uint64_t time_ns, value;
	uint32_t order;		/* among entries of the same time */
	int32_t number;
	bool is_end;
};

struct entries {
	struct entry *list;
	size_t count, room;
};

static int add_entry(struct entries *entries, const struct entry *entry)
{
	if (entries->count == entries->room) {
		size_t room = entries->room ? 2 * entries->room : 1024;
		struct entry *list = reallocarray(entries->list, room, sizeof(*list));

		if (!list)
			return -ENOMEM;
		entries->list = list;
		entries->room = room;
	}
	entries->list[entries->count++] = *entry;
	return 0;
}

/* Returns 0, also if the block is something else; or -ENOMEM. */
static int read_block(struct sched_file *file, uint64_t offset, struct entries *entries)
{
	struct spoor_sched_info info;
	const uint8_t *at, *end;
	uint64_t number, since;
	struct block block;
	struct entry entry;
	int error = 0;

	if (block_file_read(&file->blocks, offset, &block) != BLOCK_GOOD || block.extension.kind != SPOOR_BLOCK_SCHED_CALLS ||
	    block.body_bytes < sizeof(info))
		return 0;
	memcpy(&info, block.body, sizeof(info));
	at = block.body + sizeof(info);
	end = block.body + block.body_bytes;
	entry.time_ns = info.base_ns;
	while (!error && spoor_leb128_get(&at, end, &number) && spoor_leb128_get(&at, end, &since) &&
	       spoor_leb128_get(&at, end, &entry.value)) {
		entry.time_ns += (uint64_t)spoor_unzigzag(since);
		entry.number = (int32_t)((uint32_t)(number >> 1) - 1);
		entry.is_end = number & 1;
		entry.order = (uint32_t)entries->count;
		error = add_entry(entries, &entry);
	}
	return error;
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* Entries of a thread are nearly sorted: most lists need no work. */
static void sort_entries(struct entries *entries)
{
	for (size_t i = 1; i < entries->count; i++) {
		if (entries->list[i - 1].time_ns <= entries->list[i].time_ns)
			continue;
		qsort(entries->list, entries->count, sizeof(*entries->list), compare_entries);
		return;
	}
}

static uint64_t shifted(uint64_t time_ns, uint64_t shift_ns)
{
	return time_ns < UINT64_MAX - 1 - shift_ns ? time_ns + shift_ns : UINT64_MAX - 1;
}

/* Without losses, begins and ends come in turn. */
static void join(struct thread_calls *calls, const struct entries *entries, uint64_t shift_ns)
{
	struct thread_call *open = NULL;

	for (size_t i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->list[i];

		if (!entry->is_end) {
			open = &calls->list[calls->count++];
			*open = (struct thread_call){ .begin_ns = shifted(entry->time_ns, shift_ns), .end_ns = UINT64_MAX,
						      .argument = entry->value, .number = entry->number };
			continue;
		}
		if (open && (entry->number == open->number || entry->number == NUMBER_UNKNOWN)) {
			open->end_ns = shifted(entry->time_ns, shift_ns);
			open->result = spoor_unzigzag(entry->value);
		}
		open = NULL;
	}
}

int thread_calls_read(struct thread_calls *calls, struct sched_file *file, uint32_t thread_id, uint64_t shift_ns)
{
	uint32_t at = file->is_there ? map64_find(&file->thread_at, thread_id) : 0;
	struct entries entries = { 0 };
	int error = 0;

	thread_calls_free(calls);
	calls->file = file;
	calls->shift_ns = shift_ns;
	if (!at || !file->threads[at - 1].call_blocks)
		return 0;
	calls->process_id = file->threads[at - 1].is_reused ? 0 : file->threads[at - 1].process_id;
	pthread_mutex_lock(&file->lock);
	for (uint32_t place = file->threads[at - 1].first; place && !error; place = file->places[place - 1].next)
		error = read_block(file, file->places[place - 1].offset, &entries);
	pthread_mutex_unlock(&file->lock);
	sort_entries(&entries);
	if (!error && entries.count) {
		calls->list = calloc(entries.count, sizeof(*calls->list));
		if (calls->list)
			join(calls, &entries, shift_ns);
		else
			error = -ENOMEM;
	}
	free(entries.list);
	return error;
}

int thread_calls_load(struct thread_calls *calls, const struct process *process, uint32_t thread_id)
{
	if (process->sched)
		return thread_calls_read(calls, process->sched, thread_id - process->id_offset, process->shift_ns);
	thread_calls_free(calls);
	return 0;
}

void thread_calls_free(struct thread_calls *calls)
{
	free(calls->list);
	for (size_t i = 0; i < calls->variable_count; i++)
		free(calls->variables[i]);
	free(calls->variables);
	map64_free(&calls->variable_at);
	*calls = (struct thread_calls){ 0 };
}

const char *thread_call_name(const struct sched_file *file, int32_t number, char buffer[THREAD_CALL_NAME_MAX])
{
	if (number >= 0 && (size_t)number < file->name_count && file->names[number].text)
		return file->names[number].text;
	snprintf(buffer, THREAD_CALL_NAME_MAX, "syscall_%" PRId32, number);
	return buffer;
}

uint8_t thread_call_flags(const struct sched_file *file, int32_t number)
{
	return number >= 0 && (size_t)number < file->name_count ? file->names[number].flags : 0;
}

const char *thread_call_target(const struct thread_calls *calls, const struct thread_call *call)
{
	if (!calls->process_id || !(thread_call_flags(calls->file, call->number) & SPOOR_SCHED_NAME_DESCRIPTOR))
		return NULL;
	return call_targets_find(calls->file, calls->process_id, call->argument, call->begin_ns - calls->shift_ns);
}

const char *thread_call_descriptor(uint64_t descriptor, char text[THREAD_CALL_NAME_MAX])
{
	if ((int32_t)descriptor == AT_FDCWD)
		strcpy(text, "AT_FDCWD");
	else
		snprintf(text, THREAD_CALL_NAME_MAX, "%" PRId32, (int32_t)descriptor);
	return text;
}

/* Returns the variable of a lock, owned by @calls, or null. Most threads use few locks, so each is sought once. */
static const char *find_variable(struct thread_calls *calls, const struct process *process, uint64_t address)
{
	uint32_t *at = map64_at(&calls->variable_at, address);

	if (!at)
		return NULL;
	if (*at)
		return calls->variables[*at - 1];
	if (calls->variable_count == calls->variable_room) {
		size_t room = calls->variable_room ? 2 * calls->variable_room : 16;
		char **variables = reallocarray(calls->variables, room, sizeof(*variables));

		if (!variables)
			return NULL;
		calls->variables = variables;
		calls->variable_room = room;
	}
	calls->variables[calls->variable_count++] = data_symbols_name(process, address);
	*at = (uint32_t)calls->variable_count;
	return calls->variables[*at - 1];
}

bool thread_call_has_failed(const struct thread_call *call)
{
	return call->end_ns != UINT64_MAX && call->result < 0 && call->result >= -ERRNO_MAX;
}

/* " = 4096", " = -1 ENOENT", or nothing without an end. */
static void put_result(const struct thread_call *call, char *text, size_t size)
{
	const char *error = thread_call_has_failed(call) ? strerrorname_np((int)-call->result) : NULL;

	if (call->end_ns == UINT64_MAX)
		*text = '\0';
	else if (error)
		snprintf(text, size, " = -1 %s", error);
	else if (call->result > INT32_MAX || call->result < -ERRNO_MAX)
		snprintf(text, size, " = 0x%" PRIx64, call->result);
	else
		snprintf(text, size, " = %" PRId64, call->result);
}

/* "3 /file", or "3". */
static void put_descriptor(const struct thread_calls *calls, const struct thread_call *call, char *text, size_t size)
{
	const char *target = thread_call_target(calls, call);
	char number[THREAD_CALL_NAME_MAX];

	thread_call_descriptor(call->argument, number);
	snprintf(text, size, "%s%s%s", number, target ? " " : "", target ? target : "");
}

void thread_call_text(struct thread_calls *calls, const struct thread_call *call, const struct process *process,
		      char text[THREAD_CALL_TEXT_MAX])
{
	char buffer[THREAD_CALL_NAME_MAX], argument[320] = "", result[64];
	const char *name = thread_call_name(calls->file, call->number, buffer), *variable = NULL;
	uint8_t flags = thread_call_flags(calls->file, call->number);

	if (strcmp(name, "futex") == 0)
		variable = find_variable(calls, process, call->argument);
	put_result(call, result, sizeof(result));
	if (variable)
		snprintf(argument, sizeof(argument), "%s", variable);
	else if (flags & SPOOR_SCHED_NAME_DESCRIPTOR)
		put_descriptor(calls, call, argument, sizeof(argument));
	else if (!(flags & SPOOR_SCHED_NAME_BARE))
		snprintf(argument, sizeof(argument), call->argument < 65536 ? "%" PRIu64 : "0x%" PRIx64, call->argument);
	snprintf(text, THREAD_CALL_TEXT_MAX, "%.64s(%s)%s", name, argument, result);
}

uint64_t thread_call_place(const struct thread_call *call)
{
	uint64_t half_ns = (call->end_ns - call->begin_ns) / 2;

	return call->end_ns == UINT64_MAX ? call->begin_ns : call->end_ns - (half_ns < CLOCKS_APART_NS ? half_ns : CLOCKS_APART_NS);
}

const struct thread_call *thread_calls_find(const struct thread_calls *calls, uint64_t time_ns)
{
	size_t low = 0, high = calls->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (calls->list[middle].begin_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low && calls->list[low - 1].end_ns >= time_ns ? &calls->list[low - 1] : NULL;
}
