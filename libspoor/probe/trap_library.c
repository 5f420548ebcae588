/* SPDX-License-Identifier: MIT */
/* trap_library.c - finds libspoor_trap.so in the process, and decides whether breakpoints can be handled. */
#define _GNU_SOURCE
#include "probe/trap_library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/warning.h"

#define TRIES 20
#define PAUSE_NS 1000000	/* libc itself blocks all signals for a shorter time */

/* From libspoor_trap.so, if it is preloaded; else null. */
extern const struct spoor_trap_guard spoor_trap_guard __attribute__((weak));

static enum state { AWAY, TAKEN, REFUSED } state;
static int busy;
static bool is_late;
static const struct spoor_trap_guard *guard;

static const struct spoor_trap_guard *find_guard(void)
{
	const struct spoor_trap_guard *volatile preloaded = &spoor_trap_guard;
	void *library;

	if (preloaded)
		return preloaded;
	library = dlopen(SPOOR_TRAP_GUARD_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	return library ? dlsym(library, "spoor_trap_guard") : NULL;
}

/* Tells if a thread blocks SIGTRAP. */
static bool blocks_trap(const char *thread)
{
	static const char name[] = "\nSigBlk:\t";
	char path[64], text[4096];
	ssize_t length;
	char *mask;
	int file;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/status", thread);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	length = read(file, text, sizeof(text) - 1);
	close(file);
	text[length > 0 ? length : 0] = '\0';
	mask = strstr(text, name);
	return mask && strtoull(mask + strlen(name), NULL, 16) >> (SIGTRAP - 1) & 1;
}

/* Returns the ID of a thread that blocks SIGTRAP, 0 if there is none, or -1 if /proc is unreadable. */
static int find_blocking(void)
{
	DIR *folder = opendir("/proc/self/task");
	int thread = folder ? 0 : -1;
	const struct dirent *entry;

	while (thread == 0 && folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && blocks_trap(entry->d_name))
			thread = atoi(entry->d_name);
	if (folder)
		closedir(folder);
	return thread;
}

/* Tells if no thread blocks SIGTRAP. From now on libc's functions cannot block it, so only earlier blocks count. */
static bool is_deliverable(void)
{
	int thread = find_blocking();

	for (int i = 0; i < TRIES && thread > 0; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
		thread = find_blocking();
	}
	if (thread)
		spoor_warning("tracepoints that need breakpoints are not recorded: thread %d blocks SIGTRAP, or may "
			      "block it, and a breakpoint would then end this process", thread);
	return thread == 0;
}

static enum state take_sigtrap(spoor_trap *trap)
{
	int result;

	guard = find_guard();
	if (!guard || guard->version != SPOOR_TRAP_GUARD_VERSION)
		return AWAY;
	result = guard->take(trap);
	if (result == -EEXIST)
		spoor_warning("tracepoints that need breakpoints are not recorded: another library replaces libc's "
			      "functions that block signals; start the program with 'spoor record --tracepoint' "
			      "instead");
	is_late = result == 1;
	if (result < 0)
		return REFUSED;
	if (!is_late || is_deliverable())
		return TAKEN;
	guard->leave();
	return AWAY;
}

bool spoor_probe_guard_begin(spoor_trap *trap)
{
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != AWAY)
		return state == TAKEN;
	/* The thread that is taking SIGTRAP reads the current choices, too. */
	if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		return false;
	if (state == AWAY)
		__atomic_store_n(&state, take_sigtrap(trap), __ATOMIC_RELEASE);
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	return state == TAKEN;
}

bool spoor_probe_guard_is_taken(void)
{
	return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == TAKEN;
}

bool spoor_probe_guard_is_late(void)
{
	return spoor_probe_guard_is_taken() && is_late;
}

void spoor_probe_guard_end(void)
{
	if (!spoor_probe_guard_is_late() || __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		return;
	guard->leave();
	__atomic_store_n(&state, AWAY, __ATOMIC_RELEASE);
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}
