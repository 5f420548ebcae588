/* SPDX-License-Identifier: MIT */
/* inject_search.c - the threads of a process, one after the other: which of them may call. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "inject.h"
#include "inject_place.h"
#include "inject_thread.h"

#define PAUSE_NS 500000	/* before threads are looked at again */

/* A letter of /proc/PID/task/TID/stat; 0 where it cannot be had. */
static char thread_state(pid_t pid, pid_t thread)
{
	char path[64], line[512], *end;
	char state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)thread);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fgets(line, sizeof(line), file)) {
		end = strrchr(line, ')');
		state = end && end[1] == ' ' ? end[2] : 0;
	}
	fclose(file);
	return state;
}

/* In the middle of a restartable sequence: the kernel must see the thread leave it. */
static bool in_sequence(struct inject *inject)
{
	struct __ptrace_rseq_configuration where;
	uint64_t at, sequence[4];	/* struct rseq_cs */

	/* A kernel that does not tell has none, or is older than libc's use of it. */
	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, inject->thread, sizeof(where), &where) <= 0 || !where.rseq_abi_pointer)
		return false;
	if (target_read(inject->pid, where.rseq_abi_pointer + 8, &at, sizeof(at)) < 0)
		return true;
	if (!at)
		return false;
	return target_read(inject->pid, at, sequence, sizeof(sequence)) < 0 ||
	       inject_program_counter(&inject->saved.general) - sequence[1] < sequence[2];
}

/* Whether a signal is about to be handled: what it interrupted is right to say so. */
static bool signal_is_coming(pid_t thread)
{
	/* Threads have folders there, though unlisted. */
	unsigned long own = (unsigned long)target_status(thread, "SigPnd", 16),
		      all = (unsigned long)target_status(thread, "ShdPnd", 16),
		      blocked = (unsigned long)target_status(thread, "SigBlk", 16);

	return (own | all) & ~blocked;
}

/* Reads what is to be put back: as if the thread had not been stopped. */
static int save(struct inject *inject)
{
	int error = inject_registers_get(inject->thread, &inject->saved);

	if (error < 0)
		return error;
	if (ptrace(PTRACE_GETSIGMASK, inject->thread, sizeof(inject->mask), &inject->mask) < 0)
		return -errno;
	if (!signal_is_coming(inject->thread) && inject_restart(&inject->saved.general))
		error = inject_general_set(inject->thread, &inject->saved.general);
	return error;
}

/* Stops a thread and saves what it has. Return: 0, -EAGAIN, or what ends the search. */
static int catch(struct inject *inject, pid_t thread)
{
	int error, status;

	inject->thread = thread;
	if (ptrace(PTRACE_SEIZE, thread, NULL, PTRACE_O_TRACESYSGOOD) < 0)
		return errno == ESRCH ? -EAGAIN : -errno;
	error = inject_stop(inject, STOP_PATIENCE_NS);
	/* It has been asked to stop, and will: nobody else would let it go on then. */
	if (error == -ETIMEDOUT && waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status)) {
		inject->stopped = true;
		inject_let_go(inject);
	}
	if (error == -ETIMEDOUT || error == -ESRCH)
		return -EAGAIN;
	if (error == 0)
		error = save(inject);
	if (error < 0)
		inject_let_go(inject);
	return error;
}

struct search {
	struct inject *inject;
	const struct target *target;
	const struct inject_places *places;
	enum inject_care care;
	const struct target_image *image;	/* that none is to be in */
	bool all_outside;
};

/* Return: 0 where the thread is ours now, -EAGAIN where it is not, or what ends the search. */
static int try_thread(struct search *search, pid_t thread)
{
	struct inject *inject = search->inject;
	int error = catch(inject, thread);

	if (error < 0)
		return error;
	if (in_sequence(inject) || !inject_place_is_safe(search->places, search->target, thread)) {
		inject_let_go(inject);
		return -EAGAIN;
	}
	error = inject_take(inject, search->target);
	if (error == 0 && search->care == INJECT_MAY_LOAD)
		error = inject_try_locks(inject, search->target);
	if (error < 0) {
		inject_put_back(inject);
		inject_let_go(inject);
	}
	return error == -ETIMEDOUT ? -EAGAIN : error;
}

/* Return: -EAGAIN, for all are to be looked at, or what ends the search. */
static int look_at(struct search *search, pid_t thread)
{
	int error = catch(search->inject, thread);

	if (error == 0) {
		search->all_outside &= inject_place_is_outside(search->target, search->image, thread);
		inject_let_go(search->inject);
		error = -EAGAIN;
	} else if (error == -EAGAIN && thread_state(search->target->pid, thread)) {
		/* It could not be stopped. */
		search->all_outside = false;
	}
	return error;
}

/* All threads in these states, until one is what is sought. */
static int each_thread(struct search *search, const char *states, int (*visit)(struct search *search, pid_t thread))
{
	pid_t pid = search->target->pid;
	struct dirent *entry;
	int error = -EAGAIN;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return -ESRCH;
	while (error == -EAGAIN && (entry = readdir(tasks))) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
		char state = thread > 0 ? thread_state(pid, thread) : 0;

		if (state && strchr(states, state))
			error = visit(search, thread);
	}
	closedir(tasks);
	return error;
}

static struct inject *inject_new(const struct target *target)
{
	struct inject *inject = aligned_alloc(64, (sizeof(*inject) + 63) & ~(size_t)63);

	if (!inject)
		return NULL;
	memset(inject, 0, sizeof(*inject));
	inject->pid = target->pid;
	return inject;
}

int inject_begin(struct inject **result, const struct target *target, enum inject_care care, int64_t patience_ns)
{
	int64_t deadline_ns = inject_now_ns() + patience_ns;
	struct inject_places places = { 0 };
	struct search search = { .inject = inject_new(target), .target = target, .places = &places, .care = care };
	int error = -ENOMEM;

	*result = NULL;
	if (!search.inject)
		return error;
	error = inject_places_find(&places, target);
	while (error == 0) {
		/* Those that sleep in system calls, then all that can be stopped at all. */
		error = each_thread(&search, "S", try_thread);
		if (error == -EAGAIN)
			error = each_thread(&search, "RStT", try_thread);
		if (error != -EAGAIN || inject_now_ns() > deadline_ns)
			break;
		nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
		error = 0;
	}
	inject_places_free(&places);
	if (error < 0)
		free(search.inject);
	else
		*result = search.inject;
	return error;
}

int inject_wait_outside(const struct target *target, const struct target_image *image, int64_t patience_ns)
{
	int64_t deadline_ns = inject_now_ns() + patience_ns;
	struct search search = { .inject = inject_new(target), .target = target, .image = image };
	int error = -ENOMEM;

	while (search.inject) {
		search.all_outside = true;
		/* One that waits for a child of vfork's is in no function of ours. */
		error = each_thread(&search, "RStT", look_at);
		if (error == -EAGAIN && search.all_outside)
			error = 0;
		if (error != -EAGAIN || inject_now_ns() > deadline_ns)
			break;
		nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
	}
	free(search.inject);
	return error;
}
