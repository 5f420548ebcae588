/* SPDX-License-Identifier: MIT */
/*
 * version0_writer.c - writes a trace as files of Microsoft's Spoor (version0_format.h).
 *
 * A directory with a file for each thread, or several for a thread with more events than are
 * kept in memory.
 */
#include "walk/version0_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/message.h"
#include "reader/files/version0_format.h"

#define FILE_EVENTS (1u << 16)

/* The events that are gathered for a file. */
struct version0_writer {
	int directory;
	bool compressed;
	int error;		/* the first one of writing; 0: none */
	struct process *process;
	struct functions *functions;
	const struct thread_slices *thread;
	struct spoor_version0_event *events;
	uint32_t count, capacity;
	uint64_t lost;		/* places where events are missing, for which the format has no record */
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

/* Creates a new file, named as Spoor's runtime would. Returns its descriptor, or a negative errno. */
static int create(const struct version0_writer *writer, const struct spoor_trace_header *header, uint64_t time_ns,
		  char name[64])
{
	int fd;

	do {
		snprintf(name, 64, SPOOR_VERSION0_NAME, header->session_id, header->thread_id, time_ns++);
		fd = openat(writer->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	} while (fd < 0 && errno == EEXIST);
	return fd < 0 ? -errno : fd;
}

/* Writes the events gathered so far. Returns 0 or a negative errno. */
static int write_file(struct version0_writer *writer)
{
	const struct process *process = writer->process;
	struct spoor_trace_header header = {
		.endianness = SPOOR_LITTLE_ENDIAN,
		.compression = SPOOR_COMPRESSION_NONE,
		.version = SPOOR_VERSION0,
		.session_id = process->session_id,
		.process_id = process->process_id,
		.thread_id = writer->thread->thread_id,
		.system_clock_ns = process->begin_system_ns,
		.steady_clock_ns = process->begin_steady_ns,
		.event_count = (int32_t)writer->count,
	};
	size_t bytes = writer->count * sizeof(*writer->events), length = snappy_max_compressed_length(bytes);
	const void *payload = writer->events;
	char *compressed = NULL, name[64];
	int fd, error = 0;

	if (!writer->count)
		return 0;
	memcpy(header.magic, SPOOR_TRACE_MAGIC, SPOOR_TRACE_MAGIC_SIZE);
	if (writer->compressed) {
		compressed = malloc(length);
		if (!compressed)
			return -ENOMEM;
		/* As Spoor does: data that compression does not shrink stay uncompressed. */
		if (snappy_compress((const char *)writer->events, bytes, compressed, &length) == SNAPPY_OK && length < bytes) {
			header.compression = SPOOR_COMPRESSION_SNAPPY;
			payload = compressed;
			bytes = length;
		}
	}
	fd = create(writer, &header, (uint64_t)writer->events[writer->count - 1].steady_ns, name);
	if (fd < 0) {
		error = fd;
	} else {
		error = write_all(fd, &header, sizeof(header));
		if (!error)
			error = write_all(fd, payload, bytes);
		if (close(fd) && !error)
			error = -errno;
		if (error)
			unlinkat(writer->directory, name, 0);
	}
	free(compressed);
	writer->count = 0;
	return error;
}

static void add(struct version0_writer *writer, uint64_t time_ns, uint64_t payload_1, uint32_t type, uint32_t payload_2)
{
	if (writer->error)
		return;
	if (writer->count == FILE_EVENTS)
		writer->error = write_file(writer);
	if (writer->count == writer->capacity && !writer->error) {
		uint32_t capacity = writer->capacity ? 2 * writer->capacity : 1024;
		struct spoor_version0_event *events = reallocarray(writer->events, capacity, sizeof(*events));

		if (!events) {
			writer->error = -ENOMEM;
			return;
		}
		writer->events = events;
		writer->capacity = capacity;
	}
	if (!writer->error)
		writer->events[writer->count++] = (struct spoor_version0_event){
			.steady_ns = (int64_t)time_ns, .payload_1 = payload_1, .type = type, .payload_2 = payload_2,
		};
}

int version0_writer_begin(struct version0_writer **result, int directory, bool compressed)
{
	struct version0_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return -ENOMEM;
	writer->directory = directory;
	writer->compressed = compressed;
	*result = writer;
	return 0;
}

int version0_writer_end(struct version0_writer *writer)
{
	int error = writer->error;

	if (writer->lost)
		message("events are missing at %" PRIu64 " place%s, which this format cannot express: see 'spoor info'",
			writer->lost, writer->lost == 1 ? "" : "s");
	close(writer->directory);
	free(writer->events);
	free(writer);
	return error;
}

void version0_process(struct version0_writer *writer, struct process *process, struct functions *functions)
{
	writer->process = process;
	writer->functions = functions;
}

void version0_thread(struct version0_writer *writer, const struct thread_slices *thread)
{
	writer->thread = thread;
}

int version0_thread_end(struct version0_writer *writer, const struct call_tree *tree)
{
	if (!writer->error)
		writer->error = write_file(writer);
	writer->lost += tree->losses;
	return writer->error;
}

void version0_enter(struct version0_writer *writer, const struct call *call)
{
	add(writer, call->begin_ns, function_id(writer->functions, call->function), SPOOR_EVENT_ENTRY, 0);
}

void version0_leave(struct version0_writer *writer, const struct call *call, uint64_t end_ns, enum call_end how)
{
	if (how != CALL_UNFINISHED && how != CALL_BEYOND)
		add(writer, end_ns, function_id(writer->functions, call->function), SPOOR_EVENT_EXIT, 0);
}

void version0_other(struct version0_writer *writer, const struct event *event)
{
	if (event->kind == EVENT_USER)
		add(writer, event->time_ns, event->user_payload_1, event->user_type, event->user_payload_2);
	/* The format has no place for other events. */
	else if (event->kind != EVENT_LOST && event->kind != EVENT_TRACEPOINT)
		add(writer, event->time_ns, function_id(writer->functions, event->function), SPOOR_EVENT_EXIT, 0);
}

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	version0_process(context, process, functions);
	return 0;
}

static int thread_begin(void *context, const struct thread_slices *thread)
{
	version0_thread(context, thread);
	return 0;
}

static int thread_end(void *context, const struct call_tree *tree)
{
	return version0_thread_end(context, tree) ? -EPIPE : 0;	/* ends the walk; version0_write_trace reports the error */
}

static void enter(void *context, const struct call *call, size_t depth)
{
	(void)depth;
	version0_enter(context, call);
}

static void leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	(void)depth;
	version0_leave(context, call, end_ns, how);
}

static void other(void *context, const struct event *event, size_t depth)
{
	(void)depth;
	version0_other(context, event);
}

static bool stop(void *context)
{
	return ((struct version0_writer *)context)->error;
}

int version0_write_trace(const char *path)
{
	struct walk_choice choice;
	struct version0_writer *writer = NULL;
	int status = SPOOR_EXIT_GOOD, directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = directory < 0 ? -errno : version0_writer_begin(&writer, directory, true);

	if (!error) {
		const struct walk_sink sink = {
			.context = writer,
			.process_begin = process_begin,
			.thread_begin = thread_begin,
			.thread_end = thread_end,
			.calls = { .context = writer, .enter = enter, .leave = leave, .other = other, .stop = stop },
		};

		walk_choice_begin(&choice);
		choice.trace_path = path;
		status = walk_trace(&choice, &sink);
		walk_choice_end(&choice);
		error = version0_writer_end(writer);
	} else if (directory >= 0) {
		close(directory);
	}
	if (error)
		message("%s: cannot write: %s", path, strerror(-error));
	return error ? SPOOR_EXIT_BAD_TRACE : status;
}
