/* SPDX-License-Identifier: MIT */
/*
 * fuzz_process.c - reads the files of a process, with right checksums and any contents:
 * its records, and its events as calls.
 *
 * Input: blocks, each with 1 byte of kind, 1 of compression and flags << 4, 2 of event count, 2 of
 * length, then that many bytes of body. Blocks of events are written to the events file,
 * others to the process file. Kind 255 means that the rest is the header and the infos
 * of the pool.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/block.h"
#include "fuzz.h"
#include "reader/events/call_tree.h"
#include "reader/events/timeline.h"
#include "reader/events/tracepoint_events.h"
#include "reader/events/user_events.h"
#include "reader/types/shown_values.h"

#define POOL_SLICES 4u

static char folder[FUZZ_FOLDER_MAX];

static int open_in_folder(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/1/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		abort();
	return fd;
}

static void remove_folder(void)
{
	static const char *const names[] = { "1/" SPOOR_PROCESS_FILE, "1/" SPOOR_EVENTS_FILE, "1/" SPOOR_POOL_FILE, "1", "" };
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
}

static void make_folder(void)
{
	char path[128];

	fuzz_folder(folder);
	snprintf(path, sizeof(path), "%s/1", folder);
	if (mkdir(path, 0700))
		abort();
	atexit(remove_folder);
}

static void put(int file, const void *bytes, size_t count)
{
	if (write(file, bytes, count) != (ssize_t)count)
		abort();
}

static void write_pool(const uint8_t *bytes, size_t size)
{
	int file = open_in_folder(SPOOR_POOL_FILE);
	struct spoor_pool pool = {
		.magic = SPOOR_POOL_MAGIC,
		.version = SPOOR_TRACE_VERSION,
		.slice_bytes = SPOOR_SLICE_BYTES,
		.slice_count = POOL_SLICES,
	};
	size_t infos = POOL_SLICES * sizeof(struct spoor_slice_info);

	if (ftruncate(file, (off_t)spoor_pool_bytes(POOL_SLICES)) ||
	    pwrite(file, &pool, sizeof(pool), 0) != (ssize_t)sizeof(pool) ||
	    pwrite(file, bytes, size < infos ? size : infos, SPOOR_POOL_INFOS_OFFSET) < 0)
		abort();
	for (uint32_t i = 0; i < POOL_SLICES && size > infos; i++)
		if (pwrite(file, bytes + infos, size - infos < SPOOR_SLICE_BYTES ? size - infos : SPOOR_SLICE_BYTES,
			   (off_t)spoor_pool_slice_offset(i)) < 0)
			abort();
	close(file);
}

/* Writes the files of the trace from the input. */
static void write_files(const uint8_t *bytes, size_t size)
{
	static uint8_t block[sizeof(struct spoor_block) + 65536];
	int process_file = open_in_folder(SPOOR_PROCESS_FILE), events_file = open_in_folder(SPOOR_EVENTS_FILE);
	const uint8_t *end = bytes + size;
	uint64_t counter = 1000000;
	char pool[128];

	snprintf(pool, sizeof(pool), "%s/1/" SPOOR_POOL_FILE, folder);
	remove(pool);
	while (end - bytes >= 6) {
		uint16_t count, length;

		if (bytes[0] == 255) {
			write_pool(bytes + 1, (size_t)(end - bytes) - 1);
			break;
		}
		memcpy(&count, bytes + 2, 2);
		memcpy(&length, bytes + 4, 2);
		if (length > end - bytes - 6)
			length = (uint16_t)(end - bytes - 6);
		struct spoor_block_facts facts = {
			.kind = bytes[0],
			.compression = bytes[1] & 15,
			.flags = bytes[1] >> 4,
			.event_count = count,
			.process_id = 1,
			.clocks = { counter, (int64_t)(counter / 2), 1 },
		};
		counter += 1000;
		memcpy(block + sizeof(struct spoor_block), bytes + 6, length);
		put(facts.kind == SPOOR_BLOCK_EVENTS ? events_file : process_file, block,
		    spoor_block_seal(block, length, &facts));
		bytes += 6 + length;
	}
	close(process_file);
	close(events_file);
}

static size_t open_calls;

static void show(const struct call_values *values)
{
	if (values)
		free(shown_values_text(values, true));
}

static void enter(void *context, const struct call *call, size_t depth)
{
	(void)context;
	if (depth != open_calls++ || !call->function)
		abort();
}

static void leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	(void)context, (void)how;
	if (depth != --open_calls || call->inner_ns > call_duration(call, end_ns))
		abort();
	show(call->arguments);
	show(call->result);
}

static void other(void *context, const struct event *event, size_t depth)
{
	char text[USER_EVENT_TEXT_MAX];

	(void)depth;
	if (event->kind == EVENT_TRACEPOINT) {
		char arguments[TRACEPOINT_TEXT_MAX];

		tracepoint_text(event->tracepoint, true, arguments);
		if (event->tracepoint->count && !*arguments)
			abort();
	}
	if (event->kind != EVENT_USER)
		return;
	user_event_text(context, event, text, sizeof(text));
	if (!*text)
		abort();
}

/* @range: null for all times */
static void walk(struct process *process, const struct time_range *range)
{
	const struct call_sink sink = { .context = process, .enter = enter, .leave = leave, .other = other };
	struct functions functions;
	struct call_tree tree = { 0 };

	if (functions_begin(&functions, process))
		return;
	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread_events events;

		thread_events_begin(&events, process, &functions, process->threads.threads[i]);
		events.range = range;
		call_tree_walk(&tree, &events, &sink);
		thread_events_end(&events);
		if (open_calls)
			abort();
	}
	for (uint32_t i = 1; i <= functions.count; i++)
		if (!*function_name(&functions, i) || !function_library(&functions, i))
			abort();
	call_tree_free(&tree);
	functions_end(&functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *const paths[] = { folder };
	struct timeline timeline;
	struct process process;

	if (!*folder)
		make_folder();
	write_files(bytes, size);
	if (timeline_open(&timeline, paths, 1, true))
		abort();
	if (timeline_open_process(&timeline, 0, &process) == 0) {
		struct time_range range = {
			(uint64_t)process.begin_steady_ns + 600, (uint64_t)process.begin_steady_ns + 1700,
		};

		walk(&process, NULL);
		walk(&process, &range);
		process_close(&process);
	}
	timeline_close(&timeline);
	return 0;
}
