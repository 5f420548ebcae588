/* SPDX-License-Identifier: MIT */
/*
 * arrivals.c - each function arrive_* is reached again while functions that it called are open, by one of the ways
 * that GCC has, and then calls after(). So each call of after() is a child of arrive_*.
 */
#include <setjmp.h>
#include <stdio.h>

#define APART __attribute__((noinline, noclone))

static jmp_buf place;
static void *words[5];

APART int after(int x)
{
	__asm__ volatile("");
	return x;
}

/* Calls itself @depth times, and then @jump. */
APART void dive(void (*jump)(void), int depth)
{
	if (depth)
		dive(jump, depth - 1);
	else
		jump();
	__asm__ volatile("");
}

APART void jump_by_libc(void)
{
	longjmp(place, 3);
}

APART void jump_by_builtin(void)
{
	__builtin_longjmp(words, 1);
}

APART int arrive_setjmp(void)
{
	int result = setjmp(place);

	if (!result)
		dive(jump_by_libc, 2);
	return after(result);
}

APART int arrive_without_result(void)
{
	volatile int times = 0;

	setjmp(place);
	if (!times++)
		dive(jump_by_libc, 1);
	return after(times);
}

struct result {
	int value;
};

APART int arrive_in_memory(struct result *result)
{
	result->value = setjmp(place);
	if (!result->value)
		dive(jump_by_libc, 2);
	return after(result->value);
}

APART int arrive_builtin(void)
{
	if (__builtin_setjmp(words))
		return after(5);
	dive(jump_by_builtin, 2);
	return 0;
}

APART int arrive_nonlocal(int value)
{
	__label__ out;
	auto void jump(void);

	void jump(void)
	{
		value++;
		goto out;
	}
	dive(jump, 2);
	value = 100;
out:
	return after(value);
}

int main(void)
{
	struct result result;

	printf("%d %d %d %d %d\n", arrive_setjmp(), arrive_without_result(), arrive_in_memory(&result), arrive_builtin(),
	       arrive_nonlocal(1));
	return 0;
}
