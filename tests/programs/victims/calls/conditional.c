/* SPDX-License-Identifier: MIT */
/*
 * conditional.c - functions that end with a tail call on one path, and continue or end
 * with another tail call on the other. At -Os LLVM makes conditional jumps of them.
 */
#include <stdio.h>

#define OWN __attribute__((noinline))
#define KEEP __asm__ volatile("" : : : "memory")

static volatile int sink;

OWN static void up(int x)
{
	sink += x;
}

OWN static void down(int x)
{
	sink -= x;
}

OWN static void goes_on(int x)
{
	if (x & 1)
		return up(x);
	sink++;
	KEEP;
}

OWN static void either(int x)
{
	if (x & 2)
		up(x);
	else
		down(x);
}

OWN static void must(int x)
{
#if __clang_major__ >= 13
	if (x & 4)
		__attribute__((musttail)) return up(x);
#else
	if (x & 4)
		return up(x);
#endif
	sink--;
	KEEP;
}

OWN static void one_of_many(int x)
{
	if (x < 3 || (x & 0x11) == 0x10)
		return down(x);
	if (x > 50 && x % 7 != 3)
		return up(x);
	sink += 2;
	KEEP;
	if (!sink)
		up(x);
}

int main(void)
{
	for (int i = 0; i < 100; i++) {
		goes_on(i);
		either(i);
		must(i);
		one_of_many(i);
	}
	printf("%d\n", sink);
}
