/* SPDX-License-Identifier: MIT */
/*
 * library_calls.c - measures a call of a library function, one of a function with sleds, or taking and releasing a lock:
 * prints the nanoseconds of CPU time of each.
 *
 * usage: library_calls library | sled | lock [COUNT]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Does what rand_r() of the C library does, with sleds. */
__attribute__((noinline)) static int own_rand(unsigned int *seed)
{
	unsigned int next = *seed, result = 0;

	for (int i = 0; i < 3; i++) {
		next = next * 1103515245u + 12345u;
		result = result << (i ? 10 : 0) ^ (next / 65536 % (i ? 1024 : 2048));
	}
	*seed = next;
	return (int)result;
}

#define ROUND 100000

/* The least of several rounds, because other programs use the processors too. */
static double measure(long rounds, const char *what)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int is_library = strcmp(what, "library") == 0, is_lock = strcmp(what, "lock") == 0;
	unsigned int seed = 1;
	double least = 1e9;

	while (rounds-- > 0) {
		double begin = cpu_ns(), round;

		for (long i = 0; i < ROUND; i++) {
			if (is_library) {
				rand_r(&seed);
			} else if (is_lock) {
				pthread_mutex_lock(&lock);
				seed++;
				pthread_mutex_unlock(&lock);
			} else {
				own_rand(&seed);
			}
		}
		round = (cpu_ns() - begin) / ROUND;
		least = round < least ? round : least;
	}
	return least;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	printf("%.3f\n", measure(argc > 2 ? atol(argv[2]) : 50, argv[1]));
	return 0;
}
