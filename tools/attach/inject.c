/* SPDX-License-Identifier: MIT */
/* inject.c - a thread of another process, ours for a few calls. */
#include "attach/inject.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/inject_hold.h"
#include "attach/inject_thread.h"
#include "attach/inject_undertaker.h"

#define PROBE_PATIENCE_NS 500000000
#define HOLD_PATIENCE_NS 1000000000
#define STACK_BYTES (1u << 20)
#define CODE_BYTES 4096u
#define ARENA_PROBE_BYTES 4000u	/* more than a thread keeps for itself */

/* While others are held, until @held_ns: they may be no longer. */
static int wait_patiently(struct inject *inject, int64_t held_ns, int64_t deadline_ns, int *status)
{
	bool is_first = inject->hold && held_ns < deadline_ns;
	int error = inject_wait_stop(&inject->at, is_first ? held_ns : deadline_ns, status);

	if (error != -ETIMEDOUT || !inject->hold)
		return error;
	inject_hold_release(inject);
	return inject_wait_stop(&inject->at, deadline_ns, status);
}

/* Whether the SIGTRAP that the thread has stopped for is of a breakpoint that the process handles itself. */
static bool handles_breakpoint(const struct inject *inject)
{
	uint64_t caught = (uint64_t)target_status(inject->at.pid, "SigCgt", 16);
	siginfo_t what;

	return ptrace(PTRACE_GETSIGINFO, inject->at.thread, NULL, &what) == 0 &&
	       (what.si_code == SI_KERNEL || what.si_code == TRAP_BRKPT) && caught >> (SIGTRAP - 1) & 1;
}

/*
 * Lets the thread go on to its next stop in a system call. What can be held back of
 * its signals is; faults come here.
 */
static int next_system_call_stop(struct inject *inject, int64_t held_ns, int64_t deadline_ns)
{
	int status, error;

	for (;;) {
		error = inject_resume(&inject->at, PTRACE_SYSCALL, inject->at.signal);
		if (error == 0)
			error = wait_patiently(inject, held_ns, deadline_ns, &status);
		if (error < 0)
			return error;
		if (WSTOPSIG(status) == SYSTEM_CALL_STOP)
			return 0;
		if (status >> 16)
			continue;
		/* A breakpoint of the process's own, as libspoor.so's, is met as always. */
		if (WSTOPSIG(status) == SIGTRAP && handles_breakpoint(inject)) {
			inject->at.signal = SIGTRAP;
			continue;
		}
		if (WSTOPSIG(status) != SIGSTOP)
			return -EFAULT;
		inject->at.stop_wanted = true;
	}
}

int inject_general_get(pid_t thread, struct user_regs_struct *general)
{
	struct iovec set = { general, sizeof(*general) };

	if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &set) < 0)
		return -errno;
	return set.iov_len == sizeof(*general) ? 0 : -ENOEXEC;	/* a thread in 32-bit code has fewer */
}

int inject_general_set(pid_t thread, const struct user_regs_struct *general)
{
	struct iovec set = { (void *)(uintptr_t)general, sizeof(*general) };

	return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &set) < 0 ? -errno : 0;
}

/* Lets it run until the system call at its beginning, or @code's own, is over. */
static int run(struct inject *inject, const struct user_regs_struct *begin, bool calls, int64_t patience_ns,
	       struct user_regs_struct *end)
{
	int64_t begin_ns = inject_now_ns(), held_ns = begin_ns + HOLD_PATIENCE_NS, deadline_ns = begin_ns + patience_ns;
	bool returned = !calls;
	int error = inject_general_set(inject->at.thread, begin);

	while (error == 0) {
		error = next_system_call_stop(inject, held_ns, deadline_ns);
		if (error == 0 && calls) {
			error = inject_general_get(inject->at.thread, end);
			returned = error == 0 && inject_has_returned(end, inject->code);
		}
		if (error == 0)
			error = next_system_call_stop(inject, held_ns, deadline_ns);
		if (error == 0 && returned)
			return inject_general_get(inject->at.thread, end);
	}
	if (error == -ETIMEDOUT && inject_stop(&inject->at, STOP_PATIENCE_NS) < 0)
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
	struct iovec here = { (void *)(uintptr_t)bytes, size }, there = { (void *)(uintptr_t)address, size };
	const char *at = bytes;

	if (process_vm_writev(inject->at.pid, &here, 1, &there, 1, 0) == (ssize_t)size)
		return 0;
	/* Into what the process itself may not write to. */
	while (size) {
		uint64_t word;
		size_t part = size < sizeof(word) ? size : sizeof(word);

		/* The rest of the last word stays as it is. */
		errno = 0;
		word = part == sizeof(word) ? 0 : (uint64_t)ptrace(PTRACE_PEEKDATA, inject->at.thread, address, NULL);
		if (errno)
			return -errno;
		memcpy(&word, at, part);
		if (ptrace(PTRACE_POKEDATA, inject->at.thread, address, word) < 0)
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
	    target_read(inject->at.pid, counter, bytes, inject_system_call_bytes) == 0 &&
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
			if (target_read(inject->at.pid, at, page, sizeof(page)) < 0)
				break;
			for (size_t i = 0; i + inject_system_call_bytes <= sizeof(page); i += inject_code_alignment) {
				if (memcmp(page + i, inject_system_call, inject_system_call_bytes) != 0)
					continue;
				inject->system_call = at + i;
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
	if (ptrace(PTRACE_SETSIGMASK, inject->at.thread, sizeof(held_back), &held_back) < 0)
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
		error = target_read(inject->at.pid, inject->errno_at, &inject->errno_was, sizeof(inject->errno_was));
	return error;
}

void inject_put_back(struct inject *inject)
{
	if (!inject->at.stopped)
		return;
	if (inject->errno_at)
		inject_write(inject, inject->errno_at, &inject->errno_was, sizeof(inject->errno_was));
	unmap(inject, inject->code, CODE_BYTES);
	unmap(inject, inject->memory, STACK_BYTES + INJECT_ROOM_BYTES);
	if (inject->at.stopped && inject_stop(&inject->at, 10 * (int64_t)STOP_PATIENCE_NS) == 0) {
		inject_registers_set(inject->at.thread, &inject->saved);
		ptrace(PTRACE_SETSIGMASK, inject->at.thread, sizeof(inject->mask), &inject->mask);
	}
	inject->code = inject->memory = inject->errno_at = 0;
}

void inject_end(struct inject *inject)
{
	if (!inject)
		return;
	inject_hold_release(inject);
	inject_put_back(inject);
	inject_let_go(&inject->at);
	inject_undertaker_end(inject);
	pthread_sigmask(SIG_SETMASK, &inject->signals, NULL);
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
