/* SPDX-License-Identifier: MIT */
/* inject.c - a thread of another process, ours for a few calls. */
#include "inject.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inject_thread.h"

#define SYSTEM_CALL_STOP (SIGTRAP | 0x80)
#define PROBE_PATIENCE_NS 500000000
#define STACK_BYTES (1u << 20)
#define CODE_BYTES 4096u
#define ARENA_PROBE_BYTES 4000u	/* more than a thread keeps for itself */

int64_t inject_now_ns(void)
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
		if (inject_now_ns() > deadline_ns)
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
int inject_stop(struct inject *inject, int64_t patience_ns)
{
	int64_t deadline_ns = inject_now_ns() + patience_ns;
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
	int64_t deadline_ns = inject_now_ns() + patience_ns;
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
	if (error == -ETIMEDOUT && inject_stop(inject, STOP_PATIENCE_NS) < 0)
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
int inject_try_locks(struct inject *inject, const struct target *target)
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
int inject_take(struct inject *inject, const struct target *target)
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

void inject_let_go(struct inject *inject)
{
	if (inject->stopped)
		ptrace(PTRACE_DETACH, inject->thread, NULL, NULL);
	inject->stopped = false;
	if (inject->stop_wanted)
		kill(inject->pid, SIGSTOP);
	inject->stop_wanted = false;
}

void inject_put_back(struct inject *inject)
{
	if (!inject->stopped)
		return;
	if (inject->errno_at)
		inject_write(inject, inject->errno_at, &inject->errno_was, sizeof(inject->errno_was));
	unmap(inject, inject->code, CODE_BYTES);
	unmap(inject, inject->memory, STACK_BYTES + INJECT_ROOM_BYTES);
	if (inject->stopped && inject_stop(inject, 10 * (int64_t)STOP_PATIENCE_NS) == 0) {
		inject_registers_set(inject->thread, &inject->saved);
		ptrace(PTRACE_SETSIGMASK, inject->thread, sizeof(inject->mask), &inject->mask);
	}
	inject->code = inject->memory = inject->errno_at = 0;
}

void inject_end(struct inject *inject)
{
	if (!inject)
		return;
	inject_put_back(inject);
	inject_let_go(inject);
	free(inject);
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
