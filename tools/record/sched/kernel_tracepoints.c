/* SPDX-License-Identifier: MIT */
/*
 * kernel_tracepoints.c - finds the places of fields in the data of the kernel's tracepoints, and decodes
 * samples with them.
 */
#include "record/sched/kernel_tracepoints.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/sched/perf_events.h"

#define INITIAL_NAMESPACE "pid:[4026531836]"

/* Flags of the data: an interrupt woke the thread, such as a timer's. */
#define FLAGS_OFFSET 2u
#define FLAGS_INTERRUPT 0x18u

#define STATES_MAX 16u

#define FIELDS_MAX 2u
#define EVENTS "/sys/kernel/tracing/events/"

struct field {
	const char *name;
	unsigned int offset, size;	/* 0: unknown */
};

static struct tracepoint {
	const char *path;
	unsigned int number;		/* 0: unknown */
	bool was_read;
	struct field fields[FIELDS_MAX];	/* that are used */
} tracepoints[KERNEL_TRACEPOINT_COUNT] = {
	[KERNEL_WAKING] = { .path = EVENTS "sched/sched_waking/format", .fields = { { .name = "pid" } } },
	[KERNEL_SWITCH] = { .path = EVENTS "sched/sched_switch/format", .fields = { { .name = "prev_state" } } },
	[KERNEL_CALL_BEGIN] = { .path = EVENTS "raw_syscalls/sys_enter/format", .fields = { { .name = "id" }, { .name = "args[6]" } } },
	[KERNEL_CALL_END] = { .path = EVENTS "raw_syscalls/sys_exit/format", .fields = { { .name = "id" }, { .name = "ret" } } },
};

/* The letters of the kernel's states, which differ between versions. */
static struct { unsigned int bit; char letter; } states[STATES_MAX];
static size_t state_count;

/* "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;" */
static void read_field(struct tracepoint *tracepoint, const char *line)
{
	const char *end = strchr(line, ';'), *name = end;
	unsigned int offset, size;

	if (!end || sscanf(end, "; offset:%u; size:%u;", &offset, &size) != 2)
		return;
	while (name > line && name[-1] != ' ')
		name--;
	for (struct field *field = tracepoint->fields; field < tracepoint->fields + FIELDS_MAX && field->name; field++) {
		if ((size_t)(end - name) != strlen(field->name) || memcmp(name, field->name, (size_t)(end - name)) != 0)
			continue;
		field->offset = offset;
		field->size = size < sizeof(uint64_t) ? size : sizeof(uint64_t);
	}
}

/* "print fmt: ... { 0x00000001, "S" }, { 0x00000002, "D" }, ..." */
static void read_states(const char *line)
{
	state_count = 0;
	for (const char *at = strchr(line, '{'); at && state_count < STATES_MAX; at = strchr(at + 1, '{'))
		if (sscanf(at, "{ %x, \"%c", &states[state_count].bit, &states[state_count].letter) == 2)
			state_count++;
}

/* Returns 0 if the places of all fields are known, or -ENOENT. */
static int check_format(const struct tracepoint *tracepoint)
{
	for (size_t i = 0; i < FIELDS_MAX; i++)
		if (tracepoint->fields[i].name && !tracepoint->fields[i].size)
			return -ENOENT;
	return tracepoint->number ? 0 : -ENOENT;
}

/* Reads the number and the fields of a tracepoint. Returns 0 or a negative errno. */
static int read_format(struct tracepoint *tracepoint)
{
	char *line = NULL;
	size_t room = 0;
	FILE *file;

	if (tracepoint->was_read)
		return check_format(tracepoint);
	file = fopen(tracepoint->path, "re");
	if (!file)
		return -errno;
	tracepoint->was_read = true;
	while (getline(&line, &room, file) > 0) {
		sscanf(line, "ID: %u", &tracepoint->number);
		if (strncmp(line, "\tfield:", 7) == 0)
			read_field(tracepoint, line);
		else if (tracepoint == &tracepoints[KERNEL_SWITCH] && strncmp(line, "print fmt:", 10) == 0)
			read_states(line);
	}
	free(line);
	fclose(file);
	return check_format(tracepoint);
}

/* Data of a tracepoint have IDs of the initial name space, and all other records have the recorder's. */
static bool is_initial_namespace(void)
{
	char namespace[64] = "";

	return readlink("/proc/self/ns/pid", namespace, sizeof(namespace) - 1) > 0 && strcmp(namespace, INITIAL_NAMESPACE) == 0;
}

int kernel_tracepoint_open(enum kernel_tracepoint tracepoint, pid_t thread_id, int processor)
{
	uint32_t ring_bytes = tracepoint >= KERNEL_CALL_BEGIN ? PERF_CALL_RING_BYTES : PERF_RING_BYTES;
	int error;

	if (tracepoint == KERNEL_WAKING && !is_initial_namespace())
		return -EOPNOTSUPP;
	error = read_format(&tracepoints[tracepoint]);
	return error ? error : perf_open_tracepoint(tracepoints[tracepoint].number, thread_id, processor, ring_bytes);
}

/* Returns the letter of a state; 0: the thread can run on, or the state is unknown. */
static char state_letter(uint64_t state)
{
	for (size_t i = 0; i < state_count; i++)
		if (state & states[i].bit)
			return states[i].letter;
	return 0;
}

static uint64_t read_value(const struct field *field, const uint8_t *data, size_t bytes)
{
	uint64_t value = 0;

	if (field->offset + field->size <= bytes)
		memcpy(&value, data + field->offset, field->size);
	return value;
}

static enum perf_record decode_call(enum kernel_tracepoint which, const uint8_t *data, size_t bytes, struct perf_decoded *decoded)
{
	const struct field *fields = tracepoints[which].fields;

	decoded->call = (struct perf_call){
		.time_ns = decoded->change.time_ns, .process_id = decoded->change.process_id,
		.thread_id = decoded->change.thread_id, .is_end = which == KERNEL_CALL_END,
		.number = (int32_t)read_value(&fields[0], data, bytes), .value = read_value(&fields[1], data, bytes),
	};
	return PERF_CALL;
}

enum perf_record kernel_tracepoint_decode(const uint8_t *record, size_t bytes, struct perf_decoded *decoded)
{
	/* The identity; u32 size; the data */
	const size_t before = sizeof(struct perf_event_header) + sizeof(struct perf_identity) + sizeof(uint32_t);
	const uint8_t *data = record + before;
	struct perf_change *change = &decoded->change;
	enum kernel_tracepoint which = 0;
	uint16_t number;

	if (bytes < before + FLAGS_OFFSET + 1)
		return PERF_NOTHING;
	memcpy(&number, data, sizeof(number));
	bytes -= before;
	while (which < KERNEL_TRACEPOINT_COUNT && tracepoints[which].number != number)
		which++;
	switch (which) {
	case KERNEL_WAKING:
		if (data[FLAGS_OFFSET] & FLAGS_INTERRUPT)
			return PERF_NOTHING;
		change->kind = SPOOR_SCHED_WAKING;
		change->waker = change->thread_id;
		change->thread_id = (uint32_t)read_value(tracepoints[which].fields, data, bytes);
		return change->thread_id ? PERF_CHANGE : PERF_NOTHING;
	case KERNEL_SWITCH:
		change->kind = SPOOR_SCHED_STATE;
		change->state = state_letter(read_value(tracepoints[which].fields, data, bytes));
		return change->state ? PERF_CHANGE : PERF_NOTHING;
	case KERNEL_CALL_BEGIN:
	case KERNEL_CALL_END:
		return decode_call(which, data, bytes, decoded);
	case KERNEL_TRACEPOINT_COUNT:
		break;
	}
	return PERF_NOTHING;
}
