/* SPDX-License-Identifier: MIT */
/*
 * forked_children.c - what an attached process has forked: it is as awake as its parent was,
 * and nobody else knows of it. Who is traced otherwise, and whose number has become another
 * process's, has no attachment that would end.
 */
#include "attach/forked_children.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "attach/attach.h"

#define LIBRARY_NAME "libspoor.so"

struct family {
	pid_t *list;		/* the eldest first; [0] is the process itself */
	size_t count, capacity;
};

static bool is_in(const struct family *family, pid_t pid)
{
	for (size_t i = 0; i < family->count; i++)
		if (family->list[i] == pid)
			return true;
	return false;
}

static void add(struct family *family, pid_t pid)
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

/* Folders of a trace, and those of /proc, are called by the process's number. */
static pid_t number_of(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	return number > 0 && number <= INT_MAX && (*end == '\0' || *end == '.') ? (pid_t)number : 0;
}

/* Those whose parent is in the family. Return: whether any came. */
static bool add_children(struct family *family)
{
	DIR *listing = opendir("/proc");
	size_t before = family->count;
	struct dirent *item;

	while (listing && (item = readdir(listing))) {
		pid_t pid = number_of(item->d_name);

		if (pid && is_in(family, (pid_t)target_status(pid, "PPid", 10)))
			add(family, pid);
	}
	if (listing)
		closedir(listing);
	return family->count != before;
}

/* Whose parents have ended. */
static void add_traced(struct family *family, const char *trace_path)
{
	DIR *listing = opendir(trace_path);
	struct dirent *item;

	while (listing && (item = readdir(listing))) {
		pid_t pid = number_of(item->d_name);

		if (pid && kill(pid, 0) == 0)
			add(family, pid);
	}
	if (listing)
		closedir(listing);
}

void attach_children_end(pid_t pid, const char *trace_path)
{
	struct family family = { 0 };

	add(&family, pid);
	add_traced(&family, trace_path);
	while (add_children(&family))
		;
	for (size_t i = 1; i < family.count; i++) {
		struct target target = { .pid = family.list[i] };

		/* What has nothing of ours in it any more is not to be stopped, nor spoken of. */
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
