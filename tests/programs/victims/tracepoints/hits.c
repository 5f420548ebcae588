/* SPDX-License-Identifier: MIT */
/*
 * hits.c - reaches tracepoints that have a semaphore, with arguments of all kinds, in C and in C++: on
 * four threads, in a signal handler that interrupts them, in a forked child, in a library that is opened
 * and closed. Prints each recorded hit as process, thread, name and numbers.
 *
 * With -DLIBRARY this is that library. The words are "threads", "signals TIMES", "fork", "library PATH TIMES"
 * and "asked", which waits for a line of standard input before each turn.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spoor/sdt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACED __attribute__((noinline))
#define SAY(name, format, ...) \
	printf("%d %d hits:" name " " format "\n", (int)getpid(), (int)syscall(SYS_gettid), __VA_ARGS__)

#ifdef LIBRARY

SPOOR_SDT_DEFINE_SEMAPHORE(hits, library);

#ifdef __cplusplus
extern "C"
#endif
__attribute__((visibility("default"))) int reach(int turn);
int reach(int turn)
{
	if (SPOOR_SDT_IS_ENABLED(hits, library))
		SAY("library", "%d %d", turn, -turn);
	SPOOR_SDT_WITH_SEMAPHORE(hits, library, turn, -turn);
	return turn;
}

#else

SPOOR_SDT_DEFINE_SEMAPHORE(hits, all);
SPOOR_SDT_DEFINE_SEMAPHORE(hits, few);
SPOOR_SDT_DEFINE_SEMAPHORE(hits, none);
SPOOR_SDT_DEFINE_SEMAPHORE(hits, five);
SPOOR_SDT_DEFINE_SEMAPHORE(hits, handler);

#define THREADS 4
#define TURNS 300

enum colour { RED, GREEN = 70000 };

struct bits {
	unsigned int low : 3;
	int high : 5;
};

static const char text[] = "some text";
static volatile long in_handler;
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

TRACED long all(signed char a, unsigned char b, short c, unsigned short d, int e, unsigned int f, long g, unsigned long h,
		bool i, const char *j, enum colour k, int64_t l)
{
	if (SPOOR_SDT_IS_ENABLED(hits, all))
		SAY("all", "%d %u %d %u %d %u %ld %lu %d 0x%lx %d %ld", a, b, c, d, e, f, g, h, i, (unsigned long)(uintptr_t)j,
		    (int)k, (long)l);
	SPOOR_SDT_WITH_SEMAPHORE(hits, all, a, b, c, d, e, f, g, h, i, j, k, l);
	return a + b;
}

/* Arguments are evaluated once, for any number of readers. */
TRACED int few(int turn)
{
	struct bits bits = { (unsigned int)turn & 7, turn % 16 };
	int once = turn;

	if (SPOOR_SDT_IS_ENABLED(hits, few))
		SAY("few", "%d %u %d %ld", turn, bits.low, bits.high, INT64_MIN + turn);
	SPOOR_SDT_WITH_SEMAPHORE(hits, few, once++, bits.low, bits.high, (long)(INT64_MIN + turn));
	return once;
}

TRACED void others(int turn)
{
	if (SPOOR_SDT_IS_ENABLED(hits, none))
		SAY("none", "%s", "");
	SPOOR_SDT_WITH_SEMAPHORE(hits, none);
	if (SPOOR_SDT_IS_ENABLED(hits, five))
		SAY("five", "%lu %d %d %d 0x%lx", UINT64_MAX - (unsigned long)turn, 1, 2, 3, (unsigned long)(uintptr_t)text);
	SPOOR_SDT_WITH_SEMAPHORE(hits, five, UINT64_MAX - (unsigned long)turn, 1, 2, 3, text);
}

static void *turns(void *unused)
{
	for (int turn = 0; turn < TURNS; turn++) {
		/* Keeps the order of hits and of printed lines the same. */
		pthread_mutex_lock(&printing);
		all((signed char)-turn, (unsigned char)turn, (short)(-3000 - turn), 60000, -70000 - turn, 4000000000u,
		    -5000000000L, 10000000000000000000ul, turn % 2, text, GREEN, INT64_MIN + turn);
		few(turn);
		others(turn);
		pthread_mutex_unlock(&printing);
	}
	return unused;
}

static int threads(void)
{
	pthread_t started[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&started[i], NULL, turns, NULL) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(started[i], NULL);
	return 0;
}

static void handle(int number)
{
	long times = in_handler + 1;

	(void)number;
	in_handler = times;
	SPOOR_SDT_WITH_SEMAPHORE(hits, handler, times, -times, 3, 4);
}

/* Prints the numbers of hits at the end, because the handler runs at any time. */
static int signals(long times)
{
	struct itimerval often = { { 0, 50 }, { 0, 50 } };
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handle;
	action.sa_flags = SA_RESTART;
	if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &often, NULL) != 0)
		return 1;
	for (long i = 0; i < times; i++) {
		SPOOR_SDT_WITH_SEMAPHORE(hits, few, i, -i, 1, 2);
		if (i % 16 == 0)
			SPOOR_SDT_WITH_SEMAPHORE(hits, five, i, -i, i + 1, 3, 4);
	}
	memset(&often, 0, sizeof(often));
	setitimer(ITIMER_REAL, &often, NULL);
	printf("%ld %ld %ld\n", times, (times + 15) / 16, in_handler);
	return 0;
}

static int forked(void)
{
	int status;
	pid_t child;

	few(1);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		turns(NULL);
		fflush(stdout);
		_exit(0);
	}
	few(2);
	return waitpid(child, &status, 0) != child || status != 0;
}

static int library(const char *path, int times)
{
	for (int i = 0; i < times; i++) {
		void *handle_of = dlopen(path, RTLD_NOW);
		void *function = handle_of ? dlsym(handle_of, "reach") : NULL;
		int (*reach)(int turn);

		if (!function) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		memcpy(&reach, &function, sizeof(reach));
		few(reach(i));
		if (dlclose(handle_of) != 0)
			return 1;
	}
	return 0;
}

static int asked(void)
{
	char line[64];

	for (int turn = 0; fgets(line, sizeof(line), stdin); turn++) {
		few(turn);
		others(turn);
		puts("done");
		fflush(stdout);
	}
	return 0;
}

int main(int count, char **words)
{
	if (count == 2 && strcmp(words[1], "threads") == 0)
		return threads();
	if (count == 3 && strcmp(words[1], "signals") == 0)
		return signals(atol(words[2]));
	if (count == 2 && strcmp(words[1], "fork") == 0)
		return forked();
	if (count == 4 && strcmp(words[1], "library") == 0)
		return library(words[2], atoi(words[3]));
	if (count == 2 && strcmp(words[1], "asked") == 0)
		return asked();
	return 2;
}

#endif
