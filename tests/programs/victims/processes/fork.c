/* SPDX-License-Identifier: MIT */
/*
 * fork.c - forks in the way that the first argument names.
 *
 *   plain    1000 calls, a child with 500, 1000 more calls
 *   first    makes no calls before the child's 500
 *   nested   a child without calls, and its child with 500
 *   late     the child's second thread calls first (300), its main thread after it (200)
 *   threads  two threads call without a pause while 20 children call 100 times each
 *   vfork    a thread without earlier calls calls in a vforked child; then 500
 *            calls here, while a second thread calls without a pause
 *   spawn    posix_spawn, popen, system, between 500 calls and 500 calls
 *   raw      the system call, without libc's handlers; the child ends like its only thread
 *   busy     the same a hundred times, with 2 calls each, while one thread switches
 *            functions on and off and another starts threads
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spoor.h"
#include "../common/work.h"

#pragma weak spoor_functions_enable
#pragma weak spoor_functions_disable

extern char **environ;

static volatile int stop;
static volatile int running;

TRACED void leaf(void)
{
	KEEP;
}

TRACED void in_thread(void)
{
	KEEP;
}

UNTRACED static void call(int times)
{
	while (times--)
		leaf();
}

UNTRACED static void *calls_300(void *unused)
{
	call(300);
	return unused;
}

UNTRACED static void *calls_on(void *counter)
{
	__atomic_fetch_add(&running, 1, __ATOMIC_RELAXED);
	while (!stop) {
		in_thread();
		if (++*(long *)counter % 1000 == 0)
			usleep(1);
	}
	return NULL;
}

UNTRACED static void *vforks(void *unused)
{
	pid_t child = vfork();

	if (child == 0) {
		leaf();
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	return unused;
}

UNTRACED static void wait_for(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status != 0) {
		printf("child's status %x\n", status);
		exit(1);
	}
}

UNTRACED static void fork_threads(void)
{
	pthread_t threads[2];
	long counters[2] = { 0 }, all = 0;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, calls_on, &counters[i]);
	while (__atomic_load_n(&running, __ATOMIC_RELAXED) < 2)
		usleep(100);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (child == 0) {
			call(100);
			_exit(0);
		}
		wait_for(child);
	}
	stop = 1;
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		all += counters[i];
	}
	printf("calls %ld\n", all);
}

UNTRACED static void spawn_all(void)
{
	char *arguments[] = { "true", NULL }, line[16] = "";
	pid_t child;
	FILE *pipe;

	call(500);
	if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) != 0)
		exit(1);
	wait_for(child);
	pipe = popen("echo popened", "r");
	if (!pipe || !fgets(line, sizeof(line), pipe) || strcmp(line, "popened\n") != 0 || pclose(pipe) != 0)
		exit(1);
	if (system("exit 3") != 3 << 8)
		exit(1);
	call(500);
}

TRACED void marked(void)
{
	KEEP;
}

UNTRACED static void *switches(void *unused)
{
	running = 1;
	while (!stop && spoor_functions_enable) {
		spoor_functions_disable(NULL, "leaf");
		spoor_functions_enable(NULL, "leaf");
	}
	return unused;
}

UNTRACED static void *returns(void *unused)
{
	return unused;
}

UNTRACED static void *begins(void *unused)
{
	pthread_t thread;

	while (!stop) {
		pthread_create(&thread, NULL, returns, NULL);
		pthread_join(thread, NULL);
	}
	return unused;
}

UNTRACED static void fork_busily(void)
{
	pthread_t switcher, beginner;

	pthread_create(&switcher, NULL, switches, NULL);
	pthread_create(&beginner, NULL, begins, NULL);
	while (!running)
		usleep(100);
	for (int i = 0; i < 100; i++) {
		pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

		if (child == 0) {
			marked();
			marked();
			_exit(0);
		}
		wait_for(child);
	}
	stop = 1;
	pthread_join(switcher, NULL);
	pthread_join(beginner, NULL);
}

UNTRACED int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";
	pthread_t thread, other;
	long counter = 0;
	pid_t child;

	if (strcmp(mode, "threads") == 0) {
		fork_threads();
		return 0;
	}
	if (strcmp(mode, "busy") == 0) {
		fork_busily();
		return 0;
	}
	if (strcmp(mode, "spawn") == 0) {
		spawn_all();
		return 0;
	}
	if (strcmp(mode, "vfork") == 0) {
		pthread_create(&other, NULL, calls_on, &counter);
		while (!running)
			usleep(100);
		pthread_create(&thread, NULL, vforks, NULL);
		pthread_join(thread, NULL);
		call(500);
		stop = 1;
		pthread_join(other, NULL);
		printf("calls %ld\n", counter);
		return 0;
	}
	if (strcmp(mode, "plain") == 0 || strcmp(mode, "late") == 0 || strcmp(mode, "raw") == 0)
		call(1000);
	child = strcmp(mode, "raw") == 0 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
	if (child == 0) {
		if (strcmp(mode, "late") == 0) {
			pthread_create(&thread, NULL, calls_300, NULL);
			pthread_join(thread, NULL);
			pthread_create(&other, NULL, calls_on, &counter);
			while (!running)
				usleep(100);
			call(200);
			stop = 1;
			pthread_join(other, NULL);
			printf("calls %ld\n", counter);
			exit(0);
		}
		if (strcmp(mode, "nested") == 0) {
			child = fork();
			if (child)
				wait_for(child);
			else
				call(500);
			exit(0);
		}
		call(500);
		if (strcmp(mode, "raw") == 0)
			syscall(SYS_exit, 0);
		return 0;
	}
	wait_for(child);
	if (strcmp(mode, "plain") == 0 || strcmp(mode, "raw") == 0)
		call(1000);
	return 0;
}
