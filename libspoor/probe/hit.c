/* SPDX-License-Identifier: MIT */
/*
 * hit.c - handles a breakpoint in the thread that hit it: reads the tracepoint's operands from the
 * thread's registers and memory, records them, and continues after the nop.
 *
 * The kernel puts the frame of a signal below the red zone, so the thread's stack stays intact.
 */
#define _GNU_SOURCE
#include <link.h>
#include <sys/syscall.h>

#include "elf/breakpoint.h"
#include "base/warning.h"
#include "probe/probe.h"
#include "probe/trap_library.h"
#include "base/system.h"
#include "format/trace_format.h"

#define PAGE 4096ul
#define WORD 8ul

static uintptr_t linker_at;
static const int *linker_state;
static uint64_t unreadable;

/* Tells if memory is readable, by a system call that seccomp filters permit and that always fails: the first
 * argument is invalid, but the kernel reads the mask at @address first. */
static bool is_readable(uint64_t address)
{
	enum { NO_WAY = -1 };

	return spoor_system(SYS_rt_sigprocmask, NO_WAY, (long)(address & -WORD), 0, WORD, 0, 0) != -14 /* EFAULT */;
}

struct hit_state {
	struct sdt_state state;
	uintptr_t stack;	/* the page of the thread's stack pointer: it is readable */
};

static bool read_memory(const struct sdt_state *state, uint64_t address, void *to, size_t bytes)
{
	const struct hit_state *hit_state = (const struct hit_state *)state;
	uint64_t last = address + bytes - 1;

	if (last < address)
		return false;
	if (((address & -PAGE) != hit_state->stack && !is_readable(address)) ||
	    ((last & -PAGE) != hit_state->stack && (last & -WORD) != (address & -WORD) && !is_readable(last)))
		return false;
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = *(const volatile char *)(uintptr_t)(address + i);
	return true;
}

static void hit(struct spoor_probe_site *site, const ucontext_t *context)
{
	spoor_sdt_many_recorder *record = __atomic_load_n(&site->probe.record_many, __ATOMIC_ACQUIRE);
	uint64_t arguments[SPOOR_TRACEPOINT_ARGUMENTS_MAX];
	struct hit_state hit_state;

	if (!record)
		return;
	if (site->count) {
		hit_state.state.read = read_memory;
		hit_state.stack = spoor_breakpoint_stack(context) & -PAGE;
		spoor_breakpoint_state(context, &hit_state.state);
		if (site->uses_vectors)
			spoor_breakpoint_vectors(context, &hit_state.state);
	}
	for (uint32_t i = 0; i < site->count; i++)
		if (!sdt_value(&site->operands[i], SPOOR_BREAKPOINT_MACHINE, &hit_state.state, &arguments[i]))
			__atomic_fetch_add(&unreadable, 1, __ATOMIC_RELAXED);
	record(&site->probe, site->types, arguments);
}

static bool trap(siginfo_t *info, void *argument)
{
	ucontext_t *context = argument;
	uintptr_t address = spoor_breakpoint_address(context);
	struct spoor_probe_site *site;

	spoor_flags_begin();
	if (!spoor_breakpoint_is_cause(info))
		return false;
	if (address == __atomic_load_n(&linker_at, __ATOMIC_ACQUIRE)) {
		if (*linker_state == RT_CONSISTENT)
			spoor_probes_follow();
		spoor_breakpoint_return(context);
		return true;
	}
	site = spoor_probe_find(address);
	if (!site)
		return false;
	for (struct spoor_probe_site *each = site; each; each = __atomic_load_n(&each->same, __ATOMIC_ACQUIRE))
		hit(each, context);
	spoor_breakpoint_leave(context, address + site->nop_bytes);
	return true;
}

bool spoor_probe_trap_begin(void)
{
	return spoor_probe_guard_begin(trap);
}

void spoor_probe_trap_linker(uintptr_t address, const int *at_state)
{
	linker_state = at_state;
	__atomic_store_n(&linker_at, address, __ATOMIC_RELEASE);
}

void spoor_probes_end(void)
{
	uint64_t count = __atomic_load_n(&unreadable, __ATOMIC_RELAXED);

	if (count)
		spoor_warning("%llu arguments of tracepoints were at unmapped addresses and are recorded as 0",
			      (unsigned long long)count);
}
