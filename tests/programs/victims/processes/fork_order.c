/* SPDX-License-Identifier: MIT */
/*
 * fork_order.c - calls before(), then in a child in_child(), then after(). With a number: that many
 * threads call the same 64 functions at the same time. With "modes": changes from mode order to log,
 * calls before() three times, changes back, and calls in_child().
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spoor.h"
#include "../common/work.h"

#pragma weak spoor_mode_set
#pragma weak spoor_set_handler

TRACED void before(void)
{
	KEEP;
}

TRACED void in_child(void)
{
	KEEP;
}

TRACED void after(void)
{
	KEEP;
}

#define ONE(n) TRACED void f##n(void) { KEEP; }
#define FOUR(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3)
#define SIXTEEN(n) FOUR(n##0) FOUR(n##1) FOUR(n##2) FOUR(n##3)
SIXTEEN(1) SIXTEEN(2) SIXTEEN(3) SIXTEEN(4)

#define NAME(n) f##n,
#define NAME_FOUR(n) NAME(n##0) NAME(n##1) NAME(n##2) NAME(n##3)
#define NAME_SIXTEEN(n) NAME_FOUR(n##0) NAME_FOUR(n##1) NAME_FOUR(n##2) NAME_FOUR(n##3)
static void (*const all[])(void) = { NAME_SIXTEEN(1) NAME_SIXTEEN(2) NAME_SIXTEEN(3) NAME_SIXTEEN(4) };

static pthread_barrier_t barrier;

UNTRACED static void *runs(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		all[i]();
	return unused;
}

UNTRACED static void run_many(int count)
{
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));

	pthread_barrier_init(&barrier, NULL, (unsigned int)count);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, runs, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	/* An emulator's own threads end later, and may hold a lock that a fork would copy. */
	usleep(100000);
	free(threads);
}

UNTRACED static void handles(uint64_t function_id, int event)
{
	(void)function_id, (void)event;
}

UNTRACED static int change(void)
{
	int wrong = spoor_set_handler(handles, 0) != -EBUSY;

	before();
	wrong |= spoor_mode_set("log") != 0;
	for (int i = 0; i < 3; i++)
		before();
	wrong |= spoor_mode_set("order") != 0;
	in_child();
	wrong |= spoor_mode_set("off") != 0;
	after();
	return wrong;
}

int main(int count, char **words)
{
	pid_t child;

	if (count > 1 && strcmp(words[1], "modes") == 0)
		return change();
	before();
	if (count > 1)
		run_many(atoi(words[1]));
	child = fork();
	if (child == 0) {
		if (count == 1)
			in_child();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	after();
	return 0;
}
