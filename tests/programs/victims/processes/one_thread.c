/* SPDX-License-Identifier: MIT */
/*
 * one_thread.c - demands of Linux that a process has one thread only, each in a forked child that has called a
 * function: prints how each ends. Then a child calls ten thousand times, and one with a second thread.
 *
 * With an argument: a child prints its process ID and calls a hundred times a second until the file of this name is
 * gone.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int x)
{
	__asm__ volatile("" : : "r"(x));
	return x + 1;
}

static int of_user;	/* another user name space */

static int unshare_user(void)
{
	return unshare(CLONE_NEWUSER);
}

static int unshare_memory(void)
{
	return unshare(CLONE_SIGHAND | CLONE_VM);
}

static int enter_user(void)
{
	return setns(of_user, CLONE_NEWUSER);
}

static int enter_mounts(void)
{
	int own = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);

	return unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 ? -1 : own < 0 ? -1 : close(own);
}

static int count_threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	int count = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder));)
		count += entry->d_name[0] != '.';
	errno = count;
	return count == 1 ? 0 : -1;
}

static void *call_often(void *unused)
{
	for (int i = 0; i < 10; i++)
		work(i);
	return unused;
}

static int call_many(void)
{
	for (int i = 0; i < 10000; i++)
		work(i);
	return 0;
}

static int begin_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, call_often, NULL) != 0)
		return -1;
	return pthread_join(thread, NULL);
}

/* Prints the result of a function in a child that has logged, at once and after 20 ms. */
static void try(const char *what, int (*act)(void))
{
	for (int turn = 0; turn < 2; turn++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			work(turn);
			usleep(turn * 20000u);
			exit(act() < 0 ? errno : 0);
		}
		waitpid(child, &status, 0);
		printf("%s: %s\n", what, WIFEXITED(status) ? strerror(WEXITSTATUS(status)) : "killed");
	}
}

static int stay(const char *until)
{
	int status;

	if (fork() == 0) {
		work(0);
		printf("%d\n", (int)getpid());
		fflush(stdout);
		while (access(until, F_OK) == 0) {
			work(1);
			usleep(10000);
		}
		exit(0);
	}
	return wait(&status) < 0 || status;
}

int main(int count, char **arguments)
{
	char path[64];
	pid_t other;
	int ready[2];

	setvbuf(stdout, NULL, _IONBF, 0);
	work(0);
	if (count > 1)
		return stay(arguments[1]);
	if (pipe(ready) < 0)
		return 2;
	other = fork();
	if (other == 0) {
		char done = (char)unshare(CLONE_NEWUSER);

		if (write(ready[1], &done, 1) == 1)
			pause();
		_exit(0);
	}
	if (read(ready[0], path, 1) != 1)
		return 3;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)other);
	of_user = open(path, O_RDONLY | O_CLOEXEC);
	try("unshare(CLONE_NEWUSER)", unshare_user);
	try("unshare(CLONE_SIGHAND | CLONE_VM)", unshare_memory);
	try("setns(CLONE_NEWUSER)", enter_user);
	try("unshare(CLONE_NEWUSER | CLONE_NEWNS)", enter_mounts);
	try("threads", count_threads);
	try("many calls", call_many);
	try("a thread", begin_thread);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return 0;
}
