/* SPDX-License-Identifier: MIT */
/*
 * red_zone.c - leaf functions with data below the stack pointer, in the red zone of x86-64, around tracepoints of
 * spoor/sdt.h and of SystemTap's header. Each compares every byte afterwards, while signals arrive. Prints for
 * each tracepoint how often it was reached, and how many bytes had changed.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/time.h>

#include <spoor/sdt.h>

SPOOR_SDT_DEFINE_SEMAPHORE(zone, asked);

#define TIMES 1000
#define BYTES 112

static unsigned char pattern(unsigned int seed, unsigned int at)
{
	return (unsigned char)(seed * 31 + at * 7);
}

/* Data that the compiler places there. */
#define LEAF(name, tracepoint)                                                         \
	__attribute__((noinline)) static unsigned int leaf_##name(unsigned int seed)   \
	{                                                                              \
		volatile unsigned char zone[BYTES];                                    \
		unsigned int wrong = 0;                                                \
                                                                                       \
		for (unsigned int i = 0; i < BYTES; i++)                               \
			zone[i] = pattern(seed, i);                                    \
		tracepoint;                                                            \
		for (unsigned int i = 0; i < BYTES; i++)                               \
			wrong += zone[i] != pattern(seed, i);                          \
		return wrong;                                                          \
	}

LEAF(ours, SPOOR_SDT(zone, ours, seed, wrong))
LEAF(theirs, DTRACE_PROBE2(zone, theirs, seed, wrong))
LEAF(asked, SPOOR_SDT_WITH_SEMAPHORE(zone, asked, seed, wrong))

/* Uses all 128 bytes, from the instruction before the nop to the instruction after it. */
#define WHOLE(name) \
	".pushsection .note.stapsdt,\"\",\"note\"\n\t.balign 4\n\t.4byte 8, 995f-994f, 3\n\t.asciz \"stapsdt\"\n" \
	"994:\t.8byte 991b, _.stapsdt.base, 0\n\t.asciz \"zone\", \"" name "\", \"8@-64(%%rsp) 4@%k1\"\n995:\t.balign 4\n\t.popsection"

__attribute__((noinline)) static unsigned int whole(unsigned int seed)
{
	uint64_t wrong = 0;

	__asm__ volatile("mov $-128, %%rcx\n"
			 "1:\tlea (%%rcx,%q1), %%rax\n\timul %q1, %%rax\n\tmov %%rax, (%%rsp,%%rcx)\n\tadd $8, %%rcx\n\tjnz 1b\n"
			 "991:\tnop\n\t" WHOLE("whole") "\n\t"
			 "mov $-128, %%rcx\n"
			 "2:\tlea (%%rcx,%q1), %%rax\n\timul %q1, %%rax\n\tcmp %%rax, (%%rsp,%%rcx)\n\tje 3f\n\tadd $8, %0\n"
			 "3:\tadd $8, %%rcx\n\tjnz 2b"
			 : "+&r"(wrong) : "r"((uint64_t)seed) : "rax", "rcx", "memory", "cc");
	return (unsigned int)wrong;
}

static volatile long interrupted;

/* A handler with a frame. */
static void on_alarm(int number)
{
	volatile char frame[512];

	memset((void *)(uintptr_t)frame, number, sizeof(frame));
	interrupted++;
}

static void reach(const char *name, unsigned int (*leaf)(unsigned int))
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < TIMES; i++)
		wrong += leaf(i);
	printf("zone:%s %d %u\n", name, TIMES, wrong);
}

int main(void)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	reach("asked", leaf_asked);
	reach("ours", leaf_ours);
	reach("theirs", leaf_theirs);
	reach("whole", whole);
	return 0;
}
