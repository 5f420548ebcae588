/* SPDX-License-Identifier: MIT */
/*
 * hit.c - what runs in the thread that met a breakpoint: it reads the tracepoint's operands from
 * its registers and its memory, records them, and goes on behind the nop.
 *
 * The kernel puts the frame of a signal below the red zone, so nothing of the thread's is disturbed.
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

/* Asks the kernel, by a call that filters let through, and that fails in any case: there is no such
 * way to change a mask, but the mask is read first. */
static bool is_readable(uint64_t address)
{
	enum { NO_WAY = -1 };

	return spoor_system(SYS_rt_sigprocmask, NO_WAY, (long)(address & -WORD), 0, WORD, 0, 0) != -14 /* EFAULT */;
}

struct met {
	struct sdt_state state;
	uintptr_t stack;	/* the page that the thread's stack pointer is in: it is there */
};

static bool read_memory(const struct sdt_state *state, uint64_t address, void *to, size_t bytes)
{
	const struct met *met = (const struct met *)state;
	uint64_t last = address + bytes - 1;

	if (last < address)
		return false;
	if (((address & -PAGE) != met->stack && !is_readable(address)) ||
	    ((last & -PAGE) != met->stack && (last & -WORD) != (address & -WORD) && !is_readable(last)))
		return false;
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = *(const volatile char *)(uintptr_t)(address + i);
	return true;
}

static void hit(struct spoor_probe_site *site, const ucontext_t *context)
{
	spoor_sdt_many_recorder *record = __atomic_load_n(&site->probe.record_many, __ATOMIC_ACQUIRE);
	uint64_t arguments[SPOOR_TRACEPOINT_ARGUMENTS_MAX];
	struct met met;

	if (!record)
		return;
	if (site->count) {
		met.state.read = read_memory;
		met.stack = spoor_breakpoint_stack(context) & -PAGE;
		spoor_breakpoint_state(context, &met.state);
		if (site->uses_vectors)
			spoor_breakpoint_vectors(context, &met.state);
	}
	for (uint32_t i = 0; i < site->count; i++)
		if (!sdt_value(&site->operands[i], SPOOR_BREAKPOINT_MACHINE, &met.state, &arguments[i]))
			__atomic_fetch_add(&unreadable, 1, __ATOMIC_RELAXED);
	record(&site->probe, site->types, arguments);
}

static bool trap(siginfo_t *info, void *argument)
{
	ucontext_t *context = argument;
	uintptr_t address = spoor_breakpoint_address(context);
	struct spoor_probe_site *site;

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
	hit(site, context);
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
		spoor_message("%llu arguments of tracepoints lay where there is no memory: they are recorded as 0",
			      (unsigned long long)count);
}
