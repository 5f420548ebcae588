/* SPDX-License-Identifier: MIT */
/* stepping.c - single-steps events, and sets breakpoints in them. */
#define _GNU_SOURCE
#include "stepping.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "box.h"
#include "turned_counter.h"

#define BREAKPOINT 0xcc
#define STEPS_MAX 20000
#define NAMES_MAX 16
#define ADDRESSES_MAX (1u << 14)

extern const char __executable_start[];

uint64_t stepping_at[STEPS_MAX];
static uint64_t stack_at[STEPS_MAX + 1];	/* rsp at the same steps; the last one has no step */
int stepping_count;
void (*stepping_action)(void);
bool stepping_acted;
sigjmp_buf stepping_jump;

static bool acts_at_every_step;
static uint8_t *breakpoint, breakpoint_byte;
static int breakpoint_passes;	/* how often it is passed before the handler acts */

/* The actions at each instruction: a bit for each name. */
static const char *names[NAMES_MAX];
static struct {
	uint64_t address, asked;
	uint32_t names;
} done[ADDRESSES_MAX];
static uint32_t done_count;

static void act(void)
{
	int saved = errno;

	stepping_acted = true;
	box_group_begin();
	stepping_action();
	box_group_end();
	errno = saved;
}

static void step(uint64_t instruction)
{
	if (stepping_count == STEPS_MAX)
		box_fail("more than %d steps", STEPS_MAX);
	stepping_at[stepping_count++] = instruction;
	if (acts_at_every_step)
		act();
}

/* Text has no shadow memory of a sanitizer. */
__attribute__((no_sanitize("thread"))) static void breakpoint_put(uint8_t byte)
{
	*(volatile uint8_t *)breakpoint = byte;
}

__attribute__((no_sanitize("thread"))) static uint8_t breakpoint_get(void)
{
	return *(volatile uint8_t *)breakpoint;
}

static void trapped(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	if (!breakpoint) {
		stack_at[stepping_count] = (uint64_t)registers[REG_RSP];
		step((uint64_t)registers[REG_RIP]);
	} else if (breakpoint_get() != BREAKPOINT) {		/* the thread passed it by one step */
		breakpoint_put(BREAKPOINT);
		registers[REG_EFL] &= ~STEPPING_TRAP_FLAG;
	} else {
		breakpoint_put(breakpoint_byte);
		registers[REG_RIP]--;
		if (breakpoint_passes-- > 0)
			registers[REG_EFL] |= STEPPING_TRAP_FLAG;
		else
			act();
	}
}

void stepping_begin(void)
{
	struct sigaction trap = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	if (turned_counter_handle(SIGTRAP, &trap) < 0)
		box_fail("SIGTRAP cannot be handled");
}

void stepping_watch(bool acts)
{
	acts_at_every_step = acts;
	stepping_count = 0;
	turned_counter_stepped = step;
}

void stepping_unwatch(void)
{
	turned_counter_stepped = NULL;
}

void stepping_verify_callee(uintptr_t function, const char *name)
{
	bool is_called = false;

	for (int i = 0; i < stepping_count; i++) {
		if (stepping_at[i] != function)
			continue;
		is_called = true;
		/* The return address lies below the aligned words. */
		if ((stack_at[i] + 8) % 16)
			box_fail("%s is called with the stack at 0x%llx, which is not aligned", name,
				 (unsigned long long)stack_at[i]);
	}
	if (!is_called)
		box_fail("%s is not called", name);
}

/* Makes the address's entry in done. */
static uint32_t enter(uint64_t address)
{
	uint32_t at = (uint32_t)(address * 0x9e3779b1u) % ADDRESSES_MAX;

	while (done[at].address && done[at].address != address)
		at = (at + 1) % ADDRESSES_MAX;
	done_count += !done[at].address;
	if (done_count > ADDRESSES_MAX / 2)
		box_fail("more instructions than one test may have");
	done[at].address = address;
	return at;
}

static void note(uint64_t address, const char *name)
{
	uint32_t at = enter(address), bit = 0;

	while (bit < NAMES_MAX && names[bit] && strcmp(names[bit], name) != 0)
		bit++;
	if (bit == NAMES_MAX)
		box_fail("more actions than one test may have");
	names[bit] = name;
	done[at].names |= 1u << bit;
}

bool stepping_again(int at, uint32_t number)
{
	uint64_t *const asked = &done[enter(stepping_at[at])].asked, before = *asked;

	*asked |= 1ull << number;
	return before >> number & 1;
}

void stepping_break(int at, const char *name)
{
	static uint64_t writable;
	uint64_t page = stepping_at[at] & -4096ull;

	note(stepping_at[at], name);
	stepping_acted = false;
	breakpoint = (uint8_t *)stepping_at[at];
	breakpoint_byte = breakpoint_get();
	breakpoint_passes = 0;
	for (int i = 0; i < at; i++)
		breakpoint_passes += stepping_at[i] == stepping_at[at];
	if (page != writable && mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		box_fail("no breakpoint can be set: %s", strerror(errno));
	writable = page;
	breakpoint_put(BREAKPOINT);
}

void stepping_unbreak(void)
{
	breakpoint = NULL;
	if (!stepping_acted)
		box_fail("the breakpoint was not reached");
}

void stepping_end(void)
{
	const char *path = getenv("SPOOR_STEPS");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (path && !file)
		box_fail("%s: %s", path, strerror(errno));
	for (uint32_t i = 0; file && i < ADDRESSES_MAX; i++) {
		for (uint32_t bit = 0; bit < NAMES_MAX; bit++) {
			if (done[i].names >> bit & 1)
				fprintf(file, "%llx %s\n", (unsigned long long)(done[i].address - (uint64_t)__executable_start),
					names[bit]);
		}
	}
	if (file && fclose(file) != 0)
		box_fail("%s: %s", path, strerror(errno));
}
