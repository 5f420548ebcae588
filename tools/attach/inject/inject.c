/* SPDX-License-Identifier: MIT */
/* inject.c - borrows a thread of another process for a few calls. */
#include "attach/inject/inject.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "attach/inject/inject_hold.h"
#include "attach/inject/inject_thread.h"
#include "attach/inject/inject_undertaker.h"

#define STACK_BYTES (1u << 20)
#define CODE_BYTES 4096u
#define ARENA_PROBE_BYTES 4000u	/* more than malloc's cache of a thread holds */

/* The injected stack grows down from this address. */
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
	/* POKEDATA also writes to read-only memory. */
	while (size) {
		uint64_t word;
		size_t part = size < sizeof(word) ? size : sizeof(word);

		/* Keeps the bytes of the last word after the data. */
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

/* Finds the instruction of a system call: at the thread's program counter, or in the vDSO. */
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
	int error = inject_system_call_in(inject, SYS_mmap, arguments, 6, &result);

	if (error == 0)
		*address = (uint64_t)result;
	/* From mmap(2), EAGAIN means that the limit for locked memory is reached. */
	return error == -EAGAIN ? -ENOMEM : error;
}

static void unmap(struct inject *inject, uint64_t address, size_t bytes)
{
	uint64_t arguments[] = { address, bytes };
	int64_t result;

	if (address)
		inject_system_call_in(inject, SYS_munmap, arguments, 2, &result);
}

/* Checks that the locks that the next calls need are free. Returns -ETIMEDOUT if a lock stays held. */
int inject_try_locks(struct inject *inject, const struct target *target)
{
	uint64_t dladdr = target_symbol(target, NULL, "dladdr"), malloc_at = target_symbol(target, NULL, "malloc"),
		 free_at = target_symbol(target, NULL, "free"), memory;
	uint64_t arguments[] = { dladdr, inject_room(inject) };
	int error = 0;

	if (dladdr)
		error = inject_probe(inject, dladdr, arguments, 2, NULL);
	if (error || !malloc_at || !free_at)
		return error;
	arguments[0] = ARENA_PROBE_BYTES;
	error = inject_probe(inject, malloc_at, arguments, 1, &memory);
	if (error == 0)
		error = inject_probe(inject, free_at, &memory, 1, NULL);
	return error;
}

/* Takes over the stopped thread: maps memory and blocks its signals. */
int inject_take(struct inject *inject, const struct target *target)
{
	/* A pending signal that the program blocks stays pending for the program. */
	uint64_t held_back = ~INJECT_FAULTS | (inject_pending_signals(inject->at.thread) & inject->mask), location;
	int error;

	error = find_system_call(inject, target);
	if (error < 0)
		return error;
	if (ptrace(PTRACE_SETSIGMASK, inject->at.thread, sizeof(held_back), &held_back) < 0)
		return -errno;
	inject->at.changed = true;
	error = map(inject, STACK_BYTES + INJECT_ROOM_BYTES, PROT_READ | PROT_WRITE, &inject->memory);
	if (error == 0)
		error = map(inject, CODE_BYTES, PROT_READ | PROT_EXEC, &inject->code);
	if (error == 0)
		error = inject_write(inject, inject->code, inject_code, inject_code_bytes);
	location = error ? 0 : target_symbol(target, NULL, "__errno_location");
	if (location)
		error = inject_run(inject, location, NULL, 0, &inject->errno_at);
	if (error == 0 && inject->errno_at)
		error = target_read(inject->at.pid, inject->errno_at, &inject->errno_was, sizeof(inject->errno_was));
	return error;
}

void inject_put_back(struct inject *inject)
{
	/* Only a thread that has ended is not stopped here. */
	if (!inject->at.stopped && (!inject->at.changed || inject_stop(&inject->at, false, NO_DEADLINE) < 0))
		return;
	if (inject->errno_at)
		inject_write(inject, inject->errno_at, &inject->errno_was, sizeof(inject->errno_was));
	unmap(inject, inject->code, CODE_BYTES);
	unmap(inject, inject->memory, STACK_BYTES + INJECT_ROOM_BYTES);
	if (inject_stop(&inject->at, false, NO_DEADLINE) == 0) {
		inject_registers_set(inject->at.thread, &inject->saved);
		ptrace(PTRACE_SETSIGMASK, inject->at.thread, sizeof(inject->mask), &inject->mask);
		inject->at.changed = false;
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
		error = inject_run(inject, function, arguments, count, result);
	inject_end(inject);
	target_close(&target);
	return error;
}
