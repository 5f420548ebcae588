/* SPDX-License-Identifier: MIT */
/* reported_other.c - the second source file of the program `reported`. */
static volatile unsigned long sum;

static __attribute__((noinline)) void same_name(int i)
{
	sum += (unsigned long)i;
}

void other(int rounds);
__attribute__((noinline)) void other(int rounds)
{
	for (int i = 0; i < rounds; i++)
		same_name(i);
	sum++;
}
