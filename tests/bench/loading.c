/* SPDX-License-Identifier: MIT */
/*
 * loading.c - prints the median time of a dlopen of a library, in nanoseconds.
 *
 * usage: loading LIBRARY REPEAT
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEAT_LIMIT = 1001 };

static int64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char *argv[])
{
	int64_t times[REPEAT_LIMIT];
	int repeat;

	if (argc != 3 || (repeat = atoi(argv[2])) < 1 || repeat > REPEAT_LIMIT) {
		fprintf(stderr, "usage: loading LIBRARY REPEAT\n");
		return 2;
	}
	for (int i = 0; i < repeat; i++) {
		int64_t begin = now_ns();
		void *library = dlopen(argv[1], RTLD_NOW);

		times[i] = now_ns() - begin;
		if (!library) {
			fprintf(stderr, "loading: %s\n", dlerror());
			return 1;
		}
		dlclose(library);
	}
	qsort(times, repeat, sizeof(*times), compare);
	printf("%jd\n", (intmax_t)times[repeat / 2]);
	return 0;
}
