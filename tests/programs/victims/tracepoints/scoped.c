/* SPDX-License-Identifier: MIT */
/*
 * scoped.c - scopes inside scopes and traced functions, on four threads, which end at their end, by return, by goto,
 * and in C++ by an exception; begins and ends in pairs; a scope without a name; a counter. Prints how
 * often each scope was entered.
 */
#include <pthread.h>
#include <spoor/scope.h>
#include <stdio.h>

#define TRACED __attribute__((noinline))
#define KEEP __asm__ volatile("")
#define THREADS 4
#define TIMES 500

static long outer, inner, pairs, nameless, thrown;

static void count(long *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

TRACED void leaf(void)
{
	KEEP;
}

TRACED int work(int i)
{
	SPOOR_SCOPE("outer \"quoted\"");
	count(&outer);
	if (i % 3 == 0)
		return 1;
	for (int j = 0; j < 2; j++) {
		SPOOR_SCOPE("inner");
		SPOOR_COUNTER("steps", i);
		count(&inner);
		leaf();
		if (i % 5 == 0)
			goto out;
	}
out:
	SPOOR_SCOPE_BEGIN("pair");
	count(&pairs);
	leaf();
	SPOOR_SCOPE_END("pair");
	{
		SPOOR_SCOPE("");
		count(&nameless);
	}
	return 0;
}

#ifdef __cplusplus
TRACED void throws(int i)
{
	SPOOR_SCOPE("thrown");
	count(&thrown);
	if (i % 2)
		throw i;
	leaf();
}
#endif

static void *run(void *unused)
{
	for (int i = 0; i < TIMES; i++) {
		work(i);
#ifdef __cplusplus
		try {
			throws(i);
		} catch (int) {
			leaf();
		}
#endif
	}
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("outer \"quoted\"\t%ld\ninner\t%ld\npair\t%ld\n\t%ld\n", outer, inner, pairs, nameless);
	if (thrown)
		printf("thrown\t%ld\n", thrown);
	return 0;
}
