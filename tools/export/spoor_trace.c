/* SPDX-License-Identifier: MIT */
/*
 * spoor_trace.c - files of Microsoft's Spoor (version0_format.h), for what reads those.
 *
 * A directory with a file for each thread, or several where it has more events than
 * are kept in memory. A tail call is an exit. Calls that an exception left have their
 * exit where they were left; those that never ended have none.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/export.h"
#include "base/message.h"
#include "format/version0_format.h"

#define FILE_EVENTS (1u << 16)

/* What is gathered for a file. */
struct export_spoor {
	int directory;
	struct spoor_version0_event *events;
	uint32_t count, capacity;
	uint64_t lost;		/* places where events are missing, which the format cannot tell */
};

static int write_all(int fd, const void *bytes, size_t count)
{
	while (count) {
		ssize_t done = write(fd, bytes, count);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		bytes = (const char *)bytes + done;
		count -= (size_t)done;
	}
	return 0;
}

/* A file that was not there, called as Spoor's runtime would. Return: its descriptor, or a negative errno. */
static int create(const struct export_spoor *spoor, const struct spoor_trace_header *header, uint64_t time_ns,
		  char name[64])
{
	int fd;

	do {
		snprintf(name, 64, SPOOR_VERSION0_NAME, header->session_id, header->thread_id, time_ns++);
		fd = openat(spoor->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	} while (fd < 0 && errno == EEXIST);
	return fd < 0 ? -errno : fd;
}

/* Writes what has been gathered. Return: 0 or a negative errno. */
static int write_file(struct export *export)
{
	struct export_spoor *spoor = export->spoor;
	const struct process *process = export->process;
	struct spoor_trace_header header = {
		.endianness = SPOOR_LITTLE_ENDIAN,
		.compression = SPOOR_COMPRESSION_NONE,
		.version = SPOOR_VERSION0,
		.session_id = process->session_id,
		.process_id = process->process_id,
		.thread_id = export->thread->thread_id,
		.system_clock_ns = process->begin_system_ns,
		.steady_clock_ns = process->begin_steady_ns,
		.event_count = (int32_t)spoor->count,
	};
	size_t bytes = spoor->count * sizeof(*spoor->events), length = snappy_max_compressed_length(bytes);
	const void *payload = spoor->events;
	char *compressed = NULL, name[64];
	int fd, error = 0;

	if (!spoor->count)
		return 0;
	memcpy(header.magic, SPOOR_TRACE_MAGIC, SPOOR_TRACE_MAGIC_SIZE);
	if (export->compressed) {
		compressed = malloc(length);
		if (!compressed)
			return -ENOMEM;
		/* As Spoor does: what does not become less stays as it is. */
		if (snappy_compress((const char *)spoor->events, bytes, compressed, &length) == SNAPPY_OK && length < bytes) {
			header.compression = SPOOR_COMPRESSION_SNAPPY;
			payload = compressed;
			bytes = length;
		}
	}
	fd = create(spoor, &header, (uint64_t)spoor->events[spoor->count - 1].steady_ns, name);
	if (fd < 0) {
		error = fd;
	} else {
		error = write_all(fd, &header, sizeof(header));
		if (!error)
			error = write_all(fd, payload, bytes);
		if (close(fd) && !error)
			error = -errno;
		if (error)
			unlinkat(spoor->directory, name, 0);
	}
	free(compressed);
	spoor->count = 0;
	return error;
}

static void add(struct export *export, uint64_t time_ns, uint64_t payload_1, uint32_t type, uint32_t payload_2)
{
	struct export_spoor *spoor = export->spoor;

	if (export->out.error)
		return;
	if (spoor->count == FILE_EVENTS)
		export->out.error = write_file(export);
	if (spoor->count == spoor->capacity && !export->out.error) {
		uint32_t capacity = spoor->capacity ? 2 * spoor->capacity : 1024;
		struct spoor_version0_event *events = reallocarray(spoor->events, capacity, sizeof(*events));

		if (!events) {
			export->out.error = -ENOMEM;
			return;
		}
		spoor->events = events;
		spoor->capacity = capacity;
	}
	if (!export->out.error)
		spoor->events[spoor->count++] = (struct spoor_version0_event){
			.steady_ns = (int64_t)time_ns, .payload_1 = payload_1, .type = type, .payload_2 = payload_2,
		};
}

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	export_process_begin(context, process, functions);
	return 0;
}

static int thread_begin(void *context, const struct thread_slices *thread)
{
	export_thread_begin(context, thread);
	return 0;
}

static int thread_end(void *context, const struct call_tree *tree)
{
	struct export *export = context;
	int error = export->out.error ? export->out.error : write_file(export);

	export->spoor->lost += tree->losses;
	export->out.error = error;
	return error ? -EPIPE : 0;	/* the walk ends; what it was is said in the end */
}

static void enter(void *context, const struct call *call, size_t depth)
{
	struct export *export = context;

	(void)depth;
	add(export, call->begin_ns, function_id(export->functions, call->function), SPOOR_EVENT_ENTRY, 0);
}

static void leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct export *export = context;

	(void)depth;
	if (how != CALL_UNFINISHED && how != CALL_BEYOND)
		add(export, end_ns, function_id(export->functions, call->function), SPOOR_EVENT_EXIT, 0);
}

static void other(void *context, const struct event *event, size_t depth)
{
	struct export *export = context;

	(void)depth;
	if (event->kind == EVENT_USER)
		add(export, event->time_ns, event->user_payload_1, event->user_type, event->user_payload_2);
	else if (event->kind != EVENT_LOST && event->kind != EVENT_TRACEPOINT)	/* which it has no place for */
		add(export, event->time_ns, function_id(export->functions, event->function), SPOOR_EVENT_EXIT, 0);
}

void export_spoor(struct walk_sink *sink)
{
	sink->process_begin = process_begin;
	sink->thread_begin = thread_begin;
	sink->thread_end = thread_end;
	sink->calls.enter = enter;
	sink->calls.leave = leave;
	sink->calls.other = other;
}

int export_spoor_begin(struct export *export, const char *path)
{
	export->spoor = calloc(1, sizeof(*export->spoor));
	if (!export->spoor)
		return -ENOMEM;
	export->spoor->directory = export_directory(export, path);
	return export->spoor->directory < 0 ? export->spoor->directory : 0;
}

int export_spoor_end(struct export *export)
{
	if (!export->spoor)
		return 0;
	if (export->spoor->lost)
		message("events are missing at %" PRIu64 " place%s, which this format cannot tell; 'spoor info' does",
			export->spoor->lost, export->spoor->lost == 1 ? "" : "s");
	if (export->spoor->directory >= 0)
		close(export->spoor->directory);
	free(export->spoor->events);
	free(export->spoor);
	export->spoor = NULL;
	return export->out.error;
}
