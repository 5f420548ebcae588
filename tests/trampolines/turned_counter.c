/* SPDX-License-Identifier: MIT */
/* turned_counter.c - answers rdtsc and rdtscp in a SIGSEGV handler. */
#define _GNU_SOURCE
#include "turned_counter.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100

volatile uint64_t turned_counter;
void (*turned_counter_stepped)(uint64_t instruction);

static void answer(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)registers[REG_RIP];
	int length = code[0] != 0x0f ? 0 : code[1] == 0x31 ? 2 : code[1] == 0x01 && code[2] == 0xf9 ? 3 : 0;

	(void)info;
	if (!length) {
		signal(number, SIG_DFL);	/* a true fault: it comes again and kills */
		return;
	}
	registers[REG_RAX] = (uint32_t)turned_counter;
	registers[REG_RDX] = (greg_t)(turned_counter >> 32);
	if (length == 3)
		registers[REG_RCX] = 0;
	registers[REG_RIP] += length;
	turned_counter += TURNED_COUNTER_STEP;
	if (registers[REG_EFL] & TRAP_FLAG && turned_counter_stepped)
		turned_counter_stepped((uint64_t)registers[REG_RIP]);
}

#ifdef __SANITIZE_THREAD__
int __sigaction(int number, const struct sigaction *action, struct sigaction *old);
#define sigaction(number, action, old) __sigaction(number, action, old)
#endif

int turned_counter_handle(int number, const struct sigaction *action)
{
	return sigaction(number, action, NULL) < 0 ? -errno : 0;
}

int turned_counter_begin(void)
{
	struct sigaction action = { .sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER };
	int error = turned_counter_handle(SIGSEGV, &action);

	if (error < 0)
		return error;
	return prctl(PR_SET_TSC, PR_TSC_SIGSEGV) < 0 ? -errno : 0;
}

void turned_counter_end(void)
{
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
}
