/* SPDX-License-Identifier: MIT */
/* descendants.c - finds processes that a recorded program has started and left running. */
#include "record/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENVIRONMENT_MAX (1u << 20)
#define GENERATIONS_MAX 64

static bool has_variable(int process, const char *variable, char *buffer)
{
	size_t length = strlen(variable), used = 0;
	int file = openat(process, "environ", O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (file < 0)
		return false;
	while (used < ENVIRONMENT_MAX && (got = read(file, buffer + used, ENVIRONMENT_MAX - used)) > 0)
		used += (size_t)got;
	close(file);
	for (char *at = buffer; at < buffer + used; at += strnlen(at, (size_t)(buffer + used - at)) + 1)
		if ((size_t)(buffer + used - at) > length && memcmp(at, variable, length + 1) == 0)
			return true;
	return false;
}

/* Parses /proc/PID/stat, "pid (name) state parent ...". The name may contain any character. Returns the state, or
 * 0. */
static char state_of(int process, pid_t *parent)
{
	char text[512], state;
	int file = openat(process, "stat", O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
	const char *behind;

	if (file >= 0)
		close(file);
	if (got <= 0)
		return 0;
	text[got] = '\0';
	behind = strrchr(text, ')');
	return behind && sscanf(behind, ") %c %d", &state, parent) == 2 ? state : 0;
}

static bool is_busy(int process)
{
	pid_t parent;
	char state = state_of(process, &parent);

	return state == 'R' || state == 'D';
}

/* For a descendant without the variable: a process may write a title over its environment, as setproctitle(3)
 * does. */
static bool is_below_us(int processes, int process)
{
	pid_t parent = 0;
	bool known = state_of(process, &parent);

	for (int depth = 0; depth < GENERATIONS_MAX && known && parent > 1 && parent != getpid(); depth++) {
		char name[24];
		int next;

		snprintf(name, sizeof(name), "%d", (int)parent);
		next = openat(processes, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		known = next >= 0 && state_of(next, &parent);
		if (next >= 0)
			close(next);
	}
	return known && parent == getpid();
}

enum which { OF_VARIABLE, OF_VARIABLE_AND_BUSY, OF_VARIABLE_OR_BELOW };

static bool is_one(int processes, int process, const char *variable, enum which which, char *buffer)
{
	if (which == OF_VARIABLE_AND_BUSY && !is_busy(process))
		return false;
	return has_variable(process, variable, buffer) || (which == OF_VARIABLE_OR_BELOW && is_below_us(processes, process));
}

/* Calls @each until it returns true. Returns whether it did. */
static bool find(const char *variable, enum which which, bool (*each)(void *context, pid_t process_id), void *context)
{
	char *buffer = malloc(ENVIRONMENT_MAX);
	DIR *listing = buffer ? opendir("/proc") : NULL;
	struct dirent *item;
	bool found = false;

	while (listing && !found && (item = readdir(listing))) {
		if (item->d_name[0] < '1' || item->d_name[0] > '9' || atoi(item->d_name) == getpid())
			continue;
		int process = openat(dirfd(listing), item->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (process < 0)
			continue;
		found = is_one(dirfd(listing), process, variable, which, buffer) && each(context, atoi(item->d_name));
		close(process);
	}
	if (listing)
		closedir(listing);
	free(buffer);
	return found;
}

static bool any(void *context, pid_t process_id)
{
	(void)context;
	(void)process_id;
	return true;
}

/* If a process forks and ends between the reading of the list and the look at the process, its child is in the
 * next list. */
bool descendants_exist(const char *variable)
{
	return find(variable, OF_VARIABLE, any, NULL) || find(variable, OF_VARIABLE, any, NULL);
}

bool descendants_are_busy(const char *variable)
{
	return find(variable, OF_VARIABLE_AND_BUSY, any, NULL);
}

struct visit {
	void (*each)(void *context, pid_t process_id);
	void *context;
};

static bool visit(void *context, pid_t process_id)
{
	const struct visit *visit = context;

	visit->each(visit->context, process_id);
	return false;
}

void descendants_for_each(const char *variable, void (*each)(void *context, pid_t process_id), void *context)
{
	find(variable, OF_VARIABLE_OR_BELOW, visit, &(struct visit){ each, context });
}
