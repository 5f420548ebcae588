/* SPDX-License-Identifier: MIT */
/*
 * spawning.c - runs a program several times and prints the cost of a run: medians
 * of CPU and wall time in nanoseconds, the largest peak memory in KiB, and medians of
 * minor and major faults.
 *
 * usage: spawning [-o FILE] REPEAT PROGRAM [ARGUMENT...]
 *
 * FILE receives the program's output in the last run; without -o the output is discarded.
 * Arguments NAME=VALUE before PROGRAM are added to its environment.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEAT_LIMIT = 10001 };

static int64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void become(const char *output, char *argv[])
{
	int file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	for (; strchr(*argv, '='); argv++)
		putenv(*argv);
	dup2(file, STDOUT_FILENO);
	execvp(*argv, argv);
	fprintf(stderr, "spawning: %s: %m\n", *argv);
	_exit(127);
}

int main(int argc, char *argv[])
{
	static int64_t cpu[REPEAT_LIMIT], wall[REPEAT_LIMIT], minor[REPEAT_LIMIT], major[REPEAT_LIMIT];
	const char *output = "/dev/null";
	long peak = 0;
	int repeat;

	if (argc > 2 && !strcmp(argv[1], "-o")) {
		output = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 3 || (repeat = atoi(argv[1])) < 1 || repeat > REPEAT_LIMIT) {
		fprintf(stderr, "usage: spawning [-o FILE] REPEAT [NAME=VALUE...] PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	for (int i = 0; i < repeat; i++) {
		int64_t begin = now_ns();
		struct rusage usage;
		int status;
		pid_t child = fork();

		if (child == 0)
			become(output, argv + 2);
		if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status) {
			fprintf(stderr, "spawning: %s failed\n", argv[2]);
			return 1;
		}
		wall[i] = now_ns() - begin;
		cpu[i] = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * INT64_C(1000000000) +
			 (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * INT64_C(1000);
		minor[i] = usage.ru_minflt;
		major[i] = usage.ru_majflt;
		if (usage.ru_maxrss > peak)
			peak = usage.ru_maxrss;
	}
	qsort(cpu, repeat, sizeof(*cpu), compare);
	qsort(wall, repeat, sizeof(*wall), compare);
	qsort(minor, repeat, sizeof(*minor), compare);
	qsort(major, repeat, sizeof(*major), compare);
	printf("%jd %jd %ld %jd %jd\n", (intmax_t)cpu[repeat / 2], (intmax_t)wall[repeat / 2], peak,
	       (intmax_t)minor[repeat / 2], (intmax_t)major[repeat / 2]);
	return 0;
}
