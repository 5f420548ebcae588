/* SPDX-License-Identifier: MIT */
/* inner_ids.c - translates the thread IDs of a process in another PID name space. */
#include "record/container/inner_ids.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system/namespaces.h"
#include "reader/files/map64.h"

#define PAIRS_AT_ONCE 64u
#define FACTS_BYTES (PATH_MAX + 256)

struct inner_ids {
	struct spoor_drain *drain;
	pid_t process_id;
	bool other_ids, said;
	struct map64 outer;		/* our ID, by the inner one, */
	struct map64 inner;		/* ... and the inner one, by ours */
	struct spoor_outside *pairs;	/* not written yet */
	size_t count, capacity;
};

static void add(struct inner_ids *ids, uint32_t inside, uint32_t outside)
{
	uint32_t *place = map64_at(&ids->outer, inside), *back = map64_at(&ids->inner, outside);

	if (back)
		*back = inside;
	if (!place || *place == outside)
		return;
	if (ids->count == ids->capacity) {
		size_t capacity = ids->capacity ? 2 * ids->capacity : PAIRS_AT_ONCE;
		struct spoor_outside *pairs = reallocarray(ids->pairs, capacity, sizeof(*pairs));

		if (!pairs)
			return;
		ids->pairs = pairs;
		ids->capacity = capacity;
	}
	*place = outside;
	ids->pairs[ids->count++] = (struct spoor_outside){ inside, outside };
}

/* Looks at all current threads. @again: also at known ones, because their IDs may have been reused. */
static void scan_threads(struct inner_ids *ids, bool again)
{
	char path[64];
	struct dirent *item;
	DIR *listing;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)ids->process_id);
	listing = opendir(path);
	while (listing && (item = readdir(listing))) {
		int outside = atoi(item->d_name);
		pid_t inside;

		if (outside <= 0 || (!again && map64_find(&ids->inner, (uint64_t)outside)))
			continue;
		snprintf(path, sizeof(path), "%d/task/%d", (int)ids->process_id, outside);
		inside = namespaces_inner_id(path);
		if (inside > 0)
			add(ids, (uint32_t)inside, (uint32_t)outside);
	}
	if (listing)
		closedir(listing);
}

int inner_ids_begin(struct inner_ids **result, pid_t process_id, struct spoor_drain *drain)
{
	uint32_t inner_id = spoor_drain_pool(drain)->process_id;
	/* The process may have ended. */
	bool other_ids = inner_id != (uint32_t)process_id || namespaces_differ(process_id, "pid");
	struct inner_ids *ids;

	*result = NULL;
	if (!other_ids && !namespaces_other_files(process_id))
		return 0;
	ids = calloc(1, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	ids->drain = drain;
	ids->process_id = process_id;
	ids->other_ids = other_ids;
	*result = ids;
	if (other_ids) {
		add(ids, inner_id, (uint32_t)process_id);
		scan_threads(ids, false);
	}
	return 0;
}

void inner_ids_end(struct inner_ids *ids)
{
	if (!ids)
		return;
	map64_free(&ids->outer);
	map64_free(&ids->inner);
	free(ids->pairs);
	free(ids);
}

void inner_ids_slice(struct inner_ids *ids, uint32_t slice)
{
	if (ids->other_ids && !map64_find(&ids->outer, spoor_pool_info(spoor_drain_pool(ids->drain), slice)->thread_id))
		scan_threads(ids, true);
}

/* Prints in which container the process is running. */
static void print_place(struct inner_ids *ids)
{
	char facts[FACTS_BYTES], root[PATH_MAX], kinds[64], *at = facts;
	struct stat status;

	namespaces_root(ids->process_id, root);
	namespaces_list(ids->process_id, kinds, sizeof(kinds));
	if (ids->other_ids)
		at += snprintf(at, 64, "outer_process=%d", (int)ids->process_id) + 1;
	if (ids->other_ids && stat("/proc/self/ns/pid", &status) == 0)
		at += snprintf(at, 64, "outer_pid_ns=%llu", (unsigned long long)status.st_ino) + 1;
	if (*kinds)
		at += snprintf(at, sizeof(kinds) + 16, "namespaces=%s", kinds) + 1;
	if (*root)
		at += snprintf(at, sizeof(root) + 8, "root=%s", root) + 1;
	spoor_drain_note(ids->drain, SPOOR_BLOCK_PROCESS, 0, facts, (size_t)(at - facts));
}

void inner_ids_note(struct inner_ids *ids)
{
	size_t noted = 0;

	if (!ids->said)
		print_place(ids);
	ids->said = true;
	if (ids->other_ids)
		scan_threads(ids, false);
	for (; noted < ids->count; noted += PAIRS_AT_ONCE) {
		size_t count = ids->count - noted < PAIRS_AT_ONCE ? ids->count - noted : PAIRS_AT_ONCE;

		spoor_drain_note(ids->drain, SPOOR_BLOCK_OUTSIDE, 0, ids->pairs + noted, count * sizeof(*ids->pairs));
	}
	ids->count = 0;
}
