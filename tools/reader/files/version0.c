/* SPDX-License-Identifier: MIT */
/* version0.c - reads files of version 0: checks them, and converts their events to words of version 1. */
#include "reader/files/version0.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"

#define HEADER sizeof(struct spoor_trace_header)
#define EVENT sizeof(struct spoor_version0_event)
#define TIME_MAX_NS (SPOOR_USER_MARK - 1)	/* 36 years after the machine booted */

bool version0_is_name(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SPOOR_VERSION0_SUFFIX);

	return length > suffix && strcmp(name + length - suffix, SPOOR_VERSION0_SUFFIX) == 0;
}

static int read_all(int fd, void *bytes, size_t count, uint64_t offset)
{
	for (size_t done = 0; done < count;) {
		ssize_t got = pread(fd, (char *)bytes + done, count - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		done += (size_t)got;
	}
	return 0;
}

/* Returns the fault of a header; null: none. */
static const char *header_fault(const struct spoor_trace_header *header, uint64_t bytes)
{
	if (memcmp(header->magic, SPOOR_TRACE_MAGIC, bytes < SPOOR_TRACE_MAGIC_SIZE ? bytes : SPOOR_TRACE_MAGIC_SIZE) != 0)
		return "is not a trace: it lacks the first bytes of a trace of Microsoft's Spoor";
	if (bytes < HEADER)
		return "is cut off in its header; the file is skipped";
	if (header->endianness == SPOOR_BIG_ENDIAN)
		return "was written on a big-endian machine: only Microsoft's Spoor on such a machine reads it";
	if (header->endianness != SPOOR_LITTLE_ENDIAN)
		return "is damaged: its byte order is invalid; the file is skipped";
	if (header->version == SPOOR_TRACE_VERSION)
		return "is not a trace, but a part of one: name its directory instead";
	if (header->version != SPOOR_VERSION0)
		return "has an unknown version, and this spoor reads versions 0 and 1: use a newer spoor";
	if (header->compression > SPOOR_COMPRESSION_SNAPPY)
		return "has an unknown compression; the file is skipped";
	if (header->event_count < 0)
		return "is damaged: its number of events is negative; the file is skipped";
	return NULL;
}

/* Reads the bytes after the header. Returns 0 or a negative errno. */
static int read_payload(int fd, const struct version0_file *file, void **payload)
{
	int error;

	*payload = malloc(file->bytes - HEADER + 1);
	if (!*payload)
		return -ENOMEM;
	error = read_all(fd, *payload, file->bytes - HEADER, HEADER);
	if (error)
		free(*payload);
	return error;
}

/* Returns 0, with a fault noted in @file if there is one; or a negative errno. */
static int check_events(struct version0_file *file, int fd)
{
	uint64_t wanted = (uint64_t)file->header.event_count * EVENT, there = file->bytes - HEADER;
	size_t length;
	void *payload;
	int error;

	file->event_count = (uint64_t)file->header.event_count;
	if (file->header.compression == SPOOR_COMPRESSION_NONE) {
		if (there < wanted) {
			file->event_count = there / EVENT;
			file->fault = "is cut off: its last events are missing";
		} else if (there > wanted) {
			file->fault = "is damaged: it has more bytes than its number of events needs; the number may "
				      "be wrong";
		}
		return 0;
	}
	error = read_payload(fd, file, &payload);
	if (error)
		return error;
	file->is_unreadable = true;
	if (snappy_validate_compressed_buffer(payload, there) != SNAPPY_OK)
		file->fault = "is damaged or cut off: its events cannot be decompressed";
	else if (snappy_uncompressed_length(payload, there, &length) != SNAPPY_OK || length != wanted)
		file->fault = "is damaged: its header has another number of compressed events";
	else
		file->is_unreadable = false;
	free(payload);
	return 0;
}

int version0_check(struct version0_file *file, int directory, const char *name)
{
	struct stat status;
	int fd, error = 0;

	file->fault = NULL;
	file->is_unreadable = false;
	file->event_count = 0;
	memset(&file->header, 0, HEADER);
	fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status))
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		error = -EINVAL;
	if (!error) {
		file->bytes = (uint64_t)status.st_size;
		error = read_all(fd, &file->header, file->bytes < HEADER ? file->bytes : HEADER, 0);
	}
	if (!error) {
		file->fault = header_fault(&file->header, file->bytes);
		file->is_unreadable = file->fault;
		if (!file->fault)
			error = check_events(file, fd);
	}
	close(fd);
	return error;
}

int version0_compare(const void *left, const void *right)
{
	const struct version0_file *a = left, *b = right;

#define BY(field)                                          \
	if (a->header.field != b->header.field)            \
		return a->header.field < b->header.field ? -1 : 1
	if (a->is_unreadable != b->is_unreadable)
		return a->is_unreadable ? 1 : -1;
	BY(session_id);
	BY(process_id);
	BY(thread_id);
#undef BY
	/* The names of the files contain their time. The header's clock is read later, by another thread. */
	return strcmp(a->name, b->name);
}

/* Indexes a file's events as slices of its thread. */
static int index_file(struct process *process, size_t number, struct spoor_slice_info *info)
{
	const struct version0_file *file = &process->version0->files[number];
	int error = 0;

	for (uint64_t at = 0; at < file->event_count && !error; at += VERSION0_SLICE_EVENTS) {
		uint64_t left = file->event_count - at;

		error = thread_index_add(&process->threads, info,
					 left < VERSION0_SLICE_EVENTS ? left : VERSION0_SLICE_EVENTS,
					 THREAD_PLACE_VERSION0 | (uint64_t)number << 32 | at / VERSION0_SLICE_EVENTS);
		info->sequence++;
	}
	process->event_bytes += file->bytes;
	return error;
}

static int index_files(struct process *process)
{
	struct version0 *version0 = process->version0;
	struct spoor_slice_info info = { 0 };
	int error = 0;

	for (size_t i = 0; i < version0->file_count && !error; i++) {
		const struct version0_file *file = &version0->files[i];

		if (!i || file->header.thread_id != version0->files[i - 1].header.thread_id)
			info = (struct spoor_slice_info){ .thread_id = (uint32_t)file->header.thread_id,
							  .thread_serial = info.thread_serial + 1 };
		error = index_file(process, i, &info);
	}
	return error;
}

int version0_open_process(struct process *process, int directory, const char *path, struct version0_file *files,
			  size_t count)
{
	const struct spoor_trace_header *first = &files[0].header;
	char number[24];
	int error = -ENOMEM;

	*process = (struct process){ .events.window.fd = -1, .pool.window.fd = -1 };
	clock_init(&process->clock);
	for (size_t i = 0; i < count; i++) {
		if (!files[i].fault)
			continue;
		message("%s/%s: %s", path, files[i].name, files[i].fault);
		process->damaged = true;
	}
	if (files[0].is_unreadable)
		return -EBADMSG;
	snprintf(number, sizeof(number), "%" PRId64, first->process_id);
	process->name = strdup(number);
	process->path = strdup(path);
	process->process_id = first->process_id;
	process->session_id = first->session_id;
	process->begin_steady_ns = first->steady_clock_ns;
	process->begin_system_ns = first->system_clock_ns;
	process->version0 = calloc(1, sizeof(*process->version0));
	if (process->name && process->path && process->version0) {
		*process->version0 = (struct version0){ .directory = directory, .files = files, .file_count = count };
		error = index_files(process);
	}
	/* The counter counts nanoseconds of the clock. */
	clock_add(&process->clock, 1, 1, 1);
	clock_add(&process->clock, 1000000001, 1000000001, 1000000001);
	if (!error)
		error = thread_index_finish(&process->threads);
	if (!error)
		error = clock_finish(&process->clock);
	if (error) {
		message("%s: %s", path, strerror(-error));
		process_close(process);
	}
	return error;
}

/* Reads all events of a file. Returns 0, -EBADMSG, or -ENOMEM. */
static int load_file(struct version0 *version0, size_t number)
{
	struct version0_file now = { 0 };
	const struct version0_file *file = &version0->files[number];
	size_t length = file->event_count * EVENT;
	void *payload = NULL;
	int fd = openat(version0->directory, file->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), error;

	free(version0->events);
	version0->events = NULL;
	version0->loaded = 0;
	if (fd < 0)
		return -EBADMSG;
	now.bytes = file->bytes;
	error = read_payload(fd, &now, &payload);
	close(fd);
	if (error)
		return error == -ENOMEM ? error : -EBADMSG;
	if (file->header.compression == SPOOR_COMPRESSION_NONE) {
		version0->events = payload;
	} else {
		version0->events = malloc(length + 1);
		/* The file was good when it was checked, but may have changed since. */
		if (version0->events &&
		    snappy_uncompress(payload, file->bytes - HEADER, (char *)version0->events, &length) != SNAPPY_OK)
			error = -EBADMSG;
		free(payload);
		if (!version0->events)
			return -ENOMEM;
	}
	if (!error)
		version0->loaded = number + 1;
	return error;
}

/* A word of an unknown kind, which the reader counts. */
#define UNKNOWN_WORD 1u

/* Returns the number of words. */
static size_t put_event(const struct spoor_version0_event *event, uint64_t *counter, uint64_t *words)
{
	struct spoor_user_event user = {
		.payload_1 = event->payload_1, .type = event->type, .payload_2 = event->payload_2,
	};
	uint64_t time_ns = (uint64_t)event->steady_ns;
	uint32_t count = SPOOR_USER_WORDS;

	if (time_ns > TIME_MAX_NS) {
		words[0] = UNKNOWN_WORD;
		return 1;
	}
	/* The program may date its own events with any time. */
	if (time_ns < *counter && event->type != SPOOR_EVENT_ENTRY && event->type != SPOOR_EVENT_EXIT) {
		user.steady_ns = time_ns;
		count = SPOOR_USER_OWN_TIME_WORDS;
	}
	if (time_ns > *counter)
		*counter = time_ns;
	user.counter = *counter;
	words[0] = SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, count, SPOOR_EXTENDED_USER);
	uint64_t packed[SPOOR_USER_OWN_TIME_WORDS];
	spoor_user_pack(&user, packed);
	memcpy(words + 1, packed, count * sizeof(*packed));
	return 1 + count;
}

long version0_load(struct version0 *version0, uint64_t place, uint64_t counter, uint64_t *words)
{
	size_t number = (size_t)((place & ~THREAD_PLACE_VERSION0) >> 32);
	uint64_t at = (uint64_t)(uint32_t)place * VERSION0_SLICE_EVENTS, end;
	size_t used = 0;
	int error = version0->loaded == number + 1 ? 0 : load_file(version0, number);

	if (error)
		return error;
	end = version0->files[number].event_count;
	end = end - at < VERSION0_SLICE_EVENTS ? end : at + VERSION0_SLICE_EVENTS;
	for (; at < end; at++)
		used += put_event(&version0->events[at], &counter, words + used);
	return (long)used;
}

void version0_free(struct version0 *version0)
{
	if (!version0)
		return;
	free(version0->events);
	free(version0);
}
