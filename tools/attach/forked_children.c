/* SPDX-License-Identifier: MIT */
/*
 * forked_children.c - ends the recording in the forked children of an attached process. Such a child starts with the
 * same awake functions, and no other tool knows about it. Skips children that another session traces, and reused
 * process IDs.
 */
#include "attach/forked_children.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "attach/attach.h"

#define LIBRARY_NAME "libspoor.so"

struct family {
	pid_t *list;		/* in the order of discovery; [0] is the process itself */
	size_t count, capacity;
};

static bool is_in(const struct family *family, pid_t pid)
{
	for (size_t i = 0; i < family->count; i++)
		if (family->list[i] == pid)
			return true;
	return false;
}

static void add_process(struct family *family, pid_t pid)
{
	if (is_in(family, pid))
		return;
	if (family->count == family->capacity) {
		size_t capacity = family->capacity ? 2 * family->capacity : 16;
		pid_t *list = reallocarray(family->list, capacity, sizeof(*list));

		if (!list)
			return;
		family->list = list;
		family->capacity = capacity;
	}
	family->list[family->count++] = pid;
}

/* Parses the name of a folder of a trace or of /proc, which is a process ID. */
static pid_t parse_process_id(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	return number > 0 && number <= INT_MAX && (*end == '\0' || *end == '.') ? (pid_t)number : 0;
}

/* Adds children of the listed processes. Returns whether it added any. */
static bool add_children(struct family *family)
{
	DIR *listing = opendir("/proc");
	size_t before = family->count;
	struct dirent *item;

	while (listing && (item = readdir(listing))) {
		pid_t pid = parse_process_id(item->d_name);

		if (pid && is_in(family, (pid_t)target_status(pid, "PPid", 10)))
			add_process(family, pid);
	}
	if (listing)
		closedir(listing);
	return family->count != before;
}

/* Adds processes with a folder in the trace, whose parents may have ended. */
static void add_traced(struct family *family, const char *trace_path)
{
	DIR *listing = opendir(trace_path);
	struct dirent *item;

	while (listing && (item = readdir(listing))) {
		pid_t pid = parse_process_id(item->d_name);

		if (pid && kill(pid, 0) == 0)
			add_process(family, pid);
	}
	if (listing)
		closedir(listing);
}

void attach_children_end(pid_t pid, const char *trace_path)
{
	struct family family = { 0 };

	add_process(&family, pid);
	add_traced(&family, trace_path);
	while (add_children(&family))
		;
	for (size_t i = 1; i < family.count; i++) {
		struct target target = { .pid = family.list[i] };

		/* A process that no longer has libspoor.so mapped needs no stop and no message. */
		if (target_read_images(&target) < 0 || !target_image_named(&target, LIBRARY_NAME)) {
			target_close(&target);
			continue;
		}
		target_close(&target);
		if (target_open(&target, family.list[i]) == 0) {
			attach_end(&target, NULL);
			target_close(&target);
		}
	}
	free(family.list);
}
