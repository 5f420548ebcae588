/* SPDX-License-Identifier: MIT */
/*
 * library_storm.c - many library calls under loads, threads, signals and forks. No sleds.
 *
 *   library_storm loads COUNT PLUGIN    loads and unloads a library that calls strtol() and crc32()
 *   library_storm threads COUNT         each thread calls strtoul() 10 times, waits until all threads exist, and ends in
 *                                 another way than the next one; COUNT is at most 1000
 *   library_storm signals COUNT         strtod() COUNT times while a timer's handler calls strtoul()
 *   library_storm forks COUNT           each child calls strtoul() once
 *   library_storm forever               calls strtoul() until it is killed; says so after 1000 calls
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int loads(long count, const char *plugin)
{
	for (long i = 0; i < count; i++) {
		void *library = dlopen(plugin, i % 2 ? RTLD_NOW : RTLD_LAZY);
		long (*work)(const char *) = library ? (long (*)(const char *))dlsym(library, "work") : NULL;

		if (!work || work("12") != 12 || dlclose(library)) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
	}
	return 0;
}

#define THREADS_MAX 1000

static pthread_barrier_t all_are_there;

static void *call_often(void *how)
{
	for (int i = 0; i < 10; i++)
		if (strtoul("9", NULL, 10) != 9)
			exit(1);
	pthread_barrier_wait(&all_are_there);
	if ((long)how % 2)
		pthread_exit(NULL);
	return NULL;
}

static int threads(long count)
{
	static pthread_t thread[THREADS_MAX];

	if (count > THREADS_MAX || pthread_barrier_init(&all_are_there, NULL, (unsigned int)count))
		return 1;
	for (long i = 0; i < count; i++)
		if (pthread_create(&thread[i], NULL, call_often, (void *)i))
			return 1;
	for (long i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static volatile sig_atomic_t handled;

static void on_timer(int number)
{
	(void)number;
	handled += strtoul("1", NULL, 10) == 1;
}

static int signals(long count)
{
	struct itimerval every = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_timer, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (long i = 0; i < count; i++)
		if (strtod("1.5", NULL) != 1.5)
			return 1;
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%d\n", (int)handled);
	return handled == 0;
}

static int forks(long count)
{
	for (long i = 0; i < count; i++) {
		pid_t child = fork();
		int status;

		if (!child)
			_exit(strtoul("3", NULL, 10) != 3);
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long count = 0;

	if (argc > 2 && sscanf(argv[2], "%ld", &count) != 1)
		return 1;

	if (strcmp(what, "loads") == 0)
		return loads(count, argv[3]);
	if (strcmp(what, "threads") == 0)
		return threads(count);
	if (strcmp(what, "signals") == 0)
		return signals(count);
	if (strcmp(what, "forks") == 0)
		return forks(count);
	for (unsigned long i = 0; strtoul("4", NULL, 10) == 4; i++)
		if (i == 1000 && write(STDOUT_FILENO, "running\n", 8) != 8)
			return 1;
	return 1;
}
