/* SPDX-License-Identifier: MIT */
/* inject.c - a thread of another process, ours for a few calls. */
#include "inject.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inject_place.h"
#include "inject_registers.h"

#define SYSTEM_CALL_STOP (SIGTRAP | 0x80)
#define STOP_PATIENCE_NS 200000000
#define PROBE_PATIENCE_NS 500000000
#define PAUSE_NS 2000000	/* before threads are looked at again */
#define STACK_BYTES (1u << 20)
#define CODE_BYTES 4096u
#define ARENA_PROBE_BYTES 4000u	/* more than a thread keeps for itself */

struct inject {
	pid_t pid, thread;
	bool stopped;
	int signal;		/* what it goes on with */
	bool stop_wanted;	/* somebody has sent SIGSTOP meanwhile */
	struct inject_registers saved;
	uint64_t mask;
	/* In the process: */
	uint64_t system_call;	/* the instruction */
	uint64_t code, memory;	/* 0: not mapped */
	uint64_t errno_at;
	int errno_was;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int resume(struct inject *inject, int how, int signal_number)
{
	inject->stopped = false;
	inject->signal = 0;
	return ptrace(how, inject->thread, NULL, (long)signal_number) < 0 ? -errno : 0;
}

/* Waits until the thread stops. Return: 0, -ETIMEDOUT, or -ESRCH where it is no more. */
static int wait_stop(struct inject *inject, int64_t deadline_ns, int *status)
{
	struct timespec pause = { 0, 10000 };
	pid_t got;

	while ((got = waitpid(inject->thread, status, __WALL | WNOHANG)) == 0) {
		if (now_ns() > deadline_ns)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 500000)
			pause.tv_nsec *= 2;
	}
	if (got < 0 || !WIFSTOPPED(*status))
		return -ESRCH;
	inject->stopped = true;
	return 0;
}

/*
 * Stops the running thread where the kernel looks at signals: there alone it looks at
 * interrupted system calls too.
 */
static int stop(struct inject *inject, int64_t patience_ns)
{
	int64_t deadline_ns = now_ns() + patience_ns;
	int status, error;

	for (;;) {
		/* Any other stop takes the place of the one that is asked for. */
		if (ptrace(PTRACE_INTERRUPT, inject->thread, NULL, NULL) < 0)
			return -errno;
		error = inject->stopped ? resume(inject, PTRACE_CONT, inject->signal) : 0;
		if (error == 0)
			error = wait_stop(inject, deadline_ns, &status);
		if (error < 0 || status >> 16 == PTRACE_EVENT_STOP)
			return error;
		/* A signal of its own is on its way; it has its handler called. */
		inject->signal = status >> 16 || WSTOPSIG(status) == SYSTEM_CALL_STOP ? 0 : WSTOPSIG(status);
	}
}

/*
 * Lets the thread go on to its next stop in a system call. What can be held back of
 * its signals is; faults come here.
 */
static int next_system_call_stop(struct inject *inject, int64_t deadline_ns)
{
	int status, error;

	for (;;) {
		error = resume(inject, PTRACE_SYSCALL, 0);
		if (error == 0)
			error = wait_stop(inject, deadline_ns, &status);
		if (error < 0)
			return error;
		if (WSTOPSIG(status) == SYSTEM_CALL_STOP)
			return 0;
		if (status >> 16)
			continue;
		if (WSTOPSIG(status) != SIGSTOP)
			return -EFAULT;
		inject->stop_wanted = true;
	}
}

/* Lets it run until the system call at its beginning, or @code's own, is over. */
static int run(struct inject *inject, const struct user_regs_struct *begin, bool calls, int64_t patience_ns,
	       struct user_regs_struct *end)
{
	int64_t deadline_ns = now_ns() + patience_ns;
	bool returned = !calls;
	int error = inject_general_set(inject->thread, begin);

	while (error == 0) {
		error = next_system_call_stop(inject, deadline_ns);
		if (error == 0 && calls) {
			error = inject_general_get(inject->thread, end);
			returned = error == 0 && inject_has_returned(end, inject->code);
		}
		if (error == 0)
			error = next_system_call_stop(inject, deadline_ns);
		if (error == 0 && returned)
			return inject_general_get(inject->thread, end);
	}
	if (error == -ETIMEDOUT && stop(inject, STOP_PATIENCE_NS) < 0)
		return -ESRCH;
	return error;
}

static int system_call(struct inject *inject, long number, const uint64_t *arguments, unsigned int count, int64_t *result)
{
	struct user_regs_struct general = inject->saved.general;
	int error;

	inject_prepare_system_call(&general, inject->system_call, number, arguments, count);
	error = run(inject, &general, false, 10 * (int64_t)STOP_PATIENCE_NS, &general);
	if (error < 0)
		return error;
	*result = (int64_t)inject_system_call_result(&general);
	return *result < 0 && *result > -4096 ? (int)*result : 0;
}

int inject_run(struct inject *inject, uint64_t function, const uint64_t *arguments, unsigned int count,
	       int64_t patience_ns, uint64_t *result)
{
	struct user_regs_struct general = inject->saved.general;
	int error;

	if (count > INJECT_ARGUMENTS_MAX)
		return -E2BIG;
	inject_prepare_call(&general, inject->code, inject->memory + STACK_BYTES, function, arguments, count);
	error = run(inject, &general, true, patience_ns, &general);
	if (error == 0 && result)
		*result = inject_call_result(&general);
	return error;
}

uint64_t inject_room(const struct inject *inject)
{
	return inject->memory + STACK_BYTES;
}

int inject_write(struct inject *inject, uint64_t address, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		uint64_t word;
		size_t part = size < sizeof(word) ? size : sizeof(word);

		/* The rest of the last word stays as it is. */
		errno = 0;
		word = part == sizeof(word) ? 0 : (uint64_t)ptrace(PTRACE_PEEKDATA, inject->thread, address, NULL);
		if (errno)
			return -errno;
		memcpy(&word, at, part);
		if (ptrace(PTRACE_POKEDATA, inject->thread, address, word) < 0)
			return -errno;
		address += part;
		at += part;
		size -= part;
	}
	return 0;
}

/* Finds the instruction of a system call: where the thread stands, or in the vDSO. */
static int find_system_call(struct inject *inject, const struct target *target)
{
	uint64_t counter = inject_program_counter(&inject->saved.general) - inject_system_call_bytes;
	uint8_t bytes[16];

	if (inject_in_system_call(&inject->saved.general) &&
	    target_read(inject->pid, counter, bytes, inject_system_call_bytes) == 0 &&
	    memcmp(bytes, inject_system_call, inject_system_call_bytes) == 0) {
		inject->system_call = counter;
		return 0;
	}
	for (size_t i = 0; i < target->image_count; i++) {
		const struct target_image *image = &target->images[i];
		uint8_t page[4096];

		if (strcmp(image->path, "[vdso]") != 0)
			continue;
		for (uint64_t at = image->begin; at < image->end; at += sizeof(page)) {
			const uint8_t *found;

			if (target_read(inject->pid, at, page, sizeof(page)) < 0)
				break;
			found = memmem(page, sizeof(page), inject_system_call, inject_system_call_bytes);
			if (found) {
				inject->system_call = at + (uint64_t)(found - page);
				return 0;
			}
		}
	}
	return -ENOSYS;
}

static int map(struct inject *inject, size_t bytes, int protection, uint64_t *address)
{
	uint64_t arguments[] = { 0, bytes, (uint64_t)protection, MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0 };
	int64_t result;
	int error = system_call(inject, SYS_mmap, arguments, 6, &result);

	if (error == 0)
		*address = (uint64_t)result;
	return error;
}

static void unmap(struct inject *inject, uint64_t address, size_t bytes)
{
	uint64_t arguments[] = { address, bytes };
	int64_t result;

	if (address)
		system_call(inject, SYS_munmap, arguments, 2, &result);
}

/* Whether locks that the coming calls take can be had: -ETIMEDOUT where not. */
static int try_locks(struct inject *inject, const struct target *target)
{
	uint64_t dladdr = target_symbol(target, NULL, "dladdr"), malloc_at = target_symbol(target, NULL, "malloc"),
		 free_at = target_symbol(target, NULL, "free"), memory;
	uint64_t arguments[] = { dladdr, inject_room(inject) };
	int error = 0;

	if (dladdr)
		error = inject_run(inject, dladdr, arguments, 2, PROBE_PATIENCE_NS, NULL);
	if (error || !malloc_at || !free_at)
		return error;
	arguments[0] = ARENA_PROBE_BYTES;
	error = inject_run(inject, malloc_at, arguments, 1, PROBE_PATIENCE_NS, &memory);
	if (error == 0)
		error = inject_run(inject, free_at, &memory, 1, PROBE_PATIENCE_NS, NULL);
	return error;
}

/* The thread is stopped: makes it ours. */
static int take(struct inject *inject, const struct target *target)
{
	const uint64_t faults = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGILL - 1) |
				1ull << (SIGFPE - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1);
	uint64_t held_back = ~faults, location;
	int error;

	error = find_system_call(inject, target);
	if (error < 0)
		return error;
	if (ptrace(PTRACE_SETSIGMASK, inject->thread, sizeof(held_back), &held_back) < 0)
		return -errno;
	error = map(inject, STACK_BYTES + INJECT_ROOM_BYTES, PROT_READ | PROT_WRITE, &inject->memory);
	if (error == 0)
		error = map(inject, CODE_BYTES, PROT_READ | PROT_EXEC, &inject->code);
	if (error == 0)
		error = inject_write(inject, inject->code, inject_code, inject_code_bytes);
	location = error ? 0 : target_symbol(target, NULL, "__errno_location");
	if (location)
		error = inject_run(inject, location, NULL, 0, PROBE_PATIENCE_NS, &inject->errno_at);
	if (error == 0 && inject->errno_at)
		error = target_read(inject->pid, inject->errno_at, &inject->errno_was, sizeof(inject->errno_was));
	return error;
}

static void let_go(struct inject *inject)
{
	if (inject->stopped)
		ptrace(PTRACE_DETACH, inject->thread, NULL, NULL);
	inject->stopped = false;
	if (inject->stop_wanted)
		kill(inject->pid, SIGSTOP);
	inject->stop_wanted = false;
}

static void put_back(struct inject *inject)
{
	if (!inject->stopped)
		return;
	if (inject->errno_at)
		inject_write(inject, inject->errno_at, &inject->errno_was, sizeof(inject->errno_was));
	unmap(inject, inject->code, CODE_BYTES);
	unmap(inject, inject->memory, STACK_BYTES + INJECT_ROOM_BYTES);
	if (inject->stopped && stop(inject, 10 * (int64_t)STOP_PATIENCE_NS) == 0) {
		inject_registers_set(inject->thread, &inject->saved);
		ptrace(PTRACE_SETSIGMASK, inject->thread, sizeof(inject->mask), &inject->mask);
	}
	inject->code = inject->memory = inject->errno_at = 0;
}

void inject_end(struct inject *inject)
{
	if (!inject)
		return;
	put_back(inject);
	let_go(inject);
	free(inject);
}

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

/* Return: 0 where the thread is ours now, -EAGAIN where it is not, or what ends the search. */
static int try_thread(struct inject *inject, const struct target *target, const struct inject_places *places,
		      enum inject_care care, pid_t thread)
{
	int error;

	inject->thread = thread;
	if (ptrace(PTRACE_SEIZE, thread, NULL, PTRACE_O_TRACESYSGOOD) < 0)
		return errno == ESRCH ? -EAGAIN : -errno;
	error = stop(inject, STOP_PATIENCE_NS);
	if (error == -ETIMEDOUT || error == -ESRCH)
		return -EAGAIN;
	if (error == 0)
		error = save(inject);
	if (error == 0 && (in_sequence(inject) || !inject_place_is_safe(places, target, thread)))
		error = -EAGAIN;
	if (error < 0) {
		let_go(inject);
		return error;
	}
	error = take(inject, target);
	if (error == 0 && care == INJECT_MAY_LOAD)
		error = try_locks(inject, target);
	if (error < 0) {
		put_back(inject);
		let_go(inject);
	}
	return error == -ETIMEDOUT ? -EAGAIN : error;
}

/* Asks all threads in these states. */
static int try_threads(struct inject *inject, const struct target *target, const struct inject_places *places,
		       enum inject_care care, const char *states)
{
	struct dirent *entry;
	int error = -EAGAIN;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target->pid);
	tasks = opendir(path);
	if (!tasks)
		return -ESRCH;
	while (error == -EAGAIN && (entry = readdir(tasks))) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
		char state = thread > 0 ? thread_state(target->pid, thread) : 0;

		if (state && strchr(states, state))
			error = try_thread(inject, target, places, care, thread);
	}
	closedir(tasks);
	return error;
}

int inject_begin(struct inject **result, const struct target *target, enum inject_care care, int64_t patience_ns)
{
	struct inject *inject = aligned_alloc(64, (sizeof(*inject) + 63) & ~(size_t)63);
	int64_t deadline_ns = now_ns() + patience_ns;
	struct inject_places places = { 0 };
	int error = -ENOMEM;

	*result = NULL;
	if (!inject)
		return error;
	memset(inject, 0, sizeof(*inject));
	inject->pid = target->pid;
	error = inject_places_find(&places, target);
	while (error == 0) {
		/* Those that sleep in system calls, then all that are not uninterruptible. */
		error = try_threads(inject, target, &places, care, "S");
		if (error == -EAGAIN)
			error = try_threads(inject, target, &places, care, "RStT");
		if (error != -EAGAIN || now_ns() > deadline_ns)
			break;
		nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
		error = 0;
	}
	inject_places_free(&places);
	if (error < 0)
		free(inject);
	else
		*result = inject;
	return error;
}

int inject_call(pid_t pid, uint64_t function, const uint64_t *arguments, unsigned int count, uint64_t *result)
{
	struct inject *inject = NULL;
	struct target target;
	int error = target_open(&target, pid);

	if (error < 0)
		return error;
	error = inject_begin(&inject, &target, INJECT_PLAIN, 2000000000);
	if (error == 0)
		error = inject_run(inject, function, arguments, count, 5000000000, result);
	inject_end(inject);
	target_close(&target);
	return error;
}
