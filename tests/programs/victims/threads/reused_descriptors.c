/* SPDX-License-Identifier: MIT */
/*
 * reused_descriptors.c - two threads open, duplicate, replace and close descriptors all the time, and write to them.
 *
 * usage: reused_descriptors ROUNDS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FILES 5

static int rounds;

__attribute__((noinline)) static void check(int is_good)
{
	if (!is_good)
		abort();
}

__attribute__((noinline)) static void put(int descriptor, unsigned int choice)
{
	check(write(descriptor, "x", 1) == 1);
	/* Often long enough for the recorder to look. */
	if (choice % 2)
		nanosleep(&(struct timespec){ 0, 200000 * (choice % 32) }, NULL);
	check(write(descriptor, "y", 1) == 1);
}

__attribute__((noinline)) static int open_file(unsigned int choice)
{
	char name[16];
	int file;

	snprintf(name, sizeof(name), "file%u", choice % FILES);
	file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	check(file >= 0);
	return file;
}

__attribute__((noinline)) static void *use(void *start)
{
	unsigned int state = *(unsigned int *)start;

	for (int i = 0; i < rounds; i++) {
		int file = open_file(rand_r(&state)), other, ends[2];

		put(file, rand_r(&state));
		switch (rand_r(&state) % 4) {
		case 0:
			other = open_file(rand_r(&state));
			put(other, rand_r(&state));
			check(dup2(other, file) == file && close(other) == 0);
			break;
		case 1:
			other = fcntl(file, F_DUPFD, 20);
			put(other, rand_r(&state));
			check(close(other) == 0);
			break;
		case 2:
			check(pipe(ends) == 0);
			put(ends[1], rand_r(&state));
			check(close(ends[0]) == 0 && close(ends[1]) == 0);
			break;
		default:
			break;
		}
		put(file, rand_r(&state));
		check(close(file) == 0);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int starts[2] = { 1, 2 };
	pthread_t thread;

	rounds = argc > 1 ? atoi(argv[1]) : 100;
	check(pthread_create(&thread, NULL, use, &starts[0]) == 0);
	use(&starts[1]);
	check(pthread_join(thread, NULL) == 0);
	return 0;
}
