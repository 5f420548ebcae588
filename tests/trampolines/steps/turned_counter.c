/* SPDX-License-Identifier: MIT */
/*
 * turned_counter.c - replaces the values of rdtsc and rdtscp in a signal handler.
 *
 * prctl(PR_SET_TSC) makes the instructions fault. Some hypervisors execute them nevertheless. Then the instructions
 * in the program itself are replaced by ud2, which has the same length, for good; objdump finds their addresses.
 */
#define _GNU_SOURCE
#include "turned_counter.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define TRAP_FLAG 0x100
#define SITES_MAX 256

volatile uint64_t turned_counter;
void (*turned_counter_stepped)(uint64_t instruction);

static const uint8_t counter_read[] = { 0x0f, 0x31 }, counter_read_p[] = { 0x0f, 0x01, 0xf9 }, undefined[] = { 0x0f, 0x0b };
static struct { uint8_t *at; int length; } sites[SITES_MAX];
static int site_count;
static bool is_turned;	/* the replaced instructions read turned_counter */

/* Begins with an rdtsc that is not replaced. */
uint64_t true_counter(void);
__asm__(".text\n\t"
	".type true_counter, @function\n"
	"true_counter:\n\t"
	"rdtsc\n\t"
	"shl $32, %rdx\n\t"
	"or %rdx, %rax\n\t"
	"ret\n\t"
	".size true_counter, . - true_counter");

static int length_at(const uint8_t *code)
{
	return memcmp(code, counter_read, sizeof(counter_read)) == 0 ? (int)sizeof(counter_read) :
	       memcmp(code, counter_read_p, sizeof(counter_read_p)) == 0 ? (int)sizeof(counter_read_p) : 0;
}

static int replaced_length(const uint8_t *code)
{
	for (int i = 0; i < site_count; i++)
		if (sites[i].at == code)
			return sites[i].length;
	return 0;
}

static void answer(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)registers[REG_RIP];
	int length = number == SIGILL ? replaced_length(code) : length_at(code);
	bool turned = number == SIGSEGV || is_turned;
	uint64_t counter = turned ? turned_counter : true_counter();

	(void)info;
	if (!length) {
		signal(number, SIG_DFL);	/* a real fault: it occurs again and kills the process */
		return;
	}
	registers[REG_RAX] = (uint32_t)counter;
	registers[REG_RDX] = (greg_t)(counter >> 32);
	if (length == sizeof(counter_read_p))
		registers[REG_RCX] = 0;
	registers[REG_RIP] += length;
	turned_counter += turned ? TURNED_COUNTER_STEP : 0;
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

/* Replaces libc's: the vDSO reads the counter, so it would fault too, and compute a wrong time. */
__attribute__((no_sanitize("thread"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
	return (int)syscall(SYS_clock_gettime, clock, time);
}

/* Returns whether rdtsc faults after prctl requested that. */
static bool faults(void)
{
	uint64_t before = turned_counter, read = true_counter();

	turned_counter = before;
	return read == before;
}

static int program_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1;	/* the program is the first in the list */
}

static int replace(uint8_t *at)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)at & -page;
	size_t bytes = ((uintptr_t)at & (page - 1)) + sizeof(undefined) > page ? 2 * page : page;

	if (site_count == SITES_MAX || !length_at(at) ||
	    mprotect((void *)begin, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return -EINVAL;
	sites[site_count].length = length_at(at);
	sites[site_count++].at = at;
	memcpy(at, undefined, sizeof(undefined));
	return mprotect((void *)begin, bytes, PROT_READ | PROT_EXEC) < 0 ? -errno : 0;
}

static int replace_all(void)
{
	char command[64], line[256];
	uintptr_t bias = 0;
	unsigned long address;
	int error = 0;
	FILE *listing;

	snprintf(command, sizeof(command), "objdump -d /proc/%d/exe", (int)getpid());
	listing = popen(command, "r");
	if (!listing)
		return -errno;
	dl_iterate_phdr(program_bias, &bias);
	while (fgets(line, sizeof(line), listing))
		if (strstr(line, "\trdtsc") && sscanf(line, " %lx:", &address) == 1 &&
		    bias + address != (uintptr_t)true_counter && !error)
			error = replace((uint8_t *)(bias + address));
	if (pclose(listing) != 0)
		error = error ? error : -ENOENT;
	return error ? error : site_count ? 0 : -ENOENT;
}

int turned_counter_begin(void)
{
	static bool is_tried;
	struct sigaction action = { .sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER };
	int error = turned_counter_handle(site_count ? SIGILL : SIGSEGV, &action);

	if (error == 0 && !site_count && prctl(PR_SET_TSC, PR_TSC_SIGSEGV) < 0)
		error = -errno;
	if (error == 0 && !is_tried && !faults()) {
		turned_counter_end();
		error = replace_all();
		if (error == 0)
			error = turned_counter_handle(SIGILL, &action);
	}
	is_turned = is_tried = true;
	return error;
}

void turned_counter_end(void)
{
	is_turned = false;
	if (!site_count)
		prctl(PR_SET_TSC, PR_TSC_ENABLE);
}
