/* SPDX-License-Identifier: MIT */
/*
 * late.c - a process that runs for a while before its SystemTap tracepoints are recorded. One thread has all
 * signals blocked, and its signal handler blocks all. The process obeys letters on stdin, and prints each
 * hit as "late:NAME NUMBER".
 *
 * With -DLIBRARY this is a library that blocks signals itself, and is loaded late as well.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LIBRARY

int reach(int turn);
int reach(int turn)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	printf("late:library %d\n", turn);
	DTRACE_PROBE1(late, library, turn);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return turn;
}

#else

static int wake[2], woken[2], traps;

static void *stay_blocked(void *unused)
{
	char byte;

	while (read(wake[0], &byte, 1) == 1) {
		printf("late:thread %d\n", byte);
		DTRACE_PROBE1(late, thread, (int)byte);
		if (write(woken[1], &byte, 1) != 1)
			abort();
	}
	return unused;
}

static void on_user(int signal)
{
	printf("late:handler %d\n", signal);
	DTRACE_PROBE1(late, handler, signal);
}

static void on_trap(int signal)
{
	traps += signal == SIGTRAP;
}

static void turn(int number)
{
	printf("late:plain %d\n", number);
	DTRACE_PROBE2(late, plain, number, (double)number / 4);
}

/* Shows the kernel's own state for a signal, not libc's. */
static void show(int signal)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		uint64_t mask;
	} action;

	if (syscall(SYS_rt_sigaction, signal, NULL, &action, sizeof(action.mask)) != 0)
		abort();
	printf("signal %d: %d %lx %llx\n", signal,
	       action.handler == SIG_DFL ? 0 : action.handler == on_user ? 1 : action.handler == on_trap ? 2 : 3,
	       action.flags, (unsigned long long)action.mask);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_user };
	sigset_t all, before;
	pthread_t thread;
	int letter;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2 || pipe(wake) != 0 || pipe(woken) != 0)
		return 2;
	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_create(&thread, NULL, stay_blocked, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	for (char number = 1; (letter = getchar()) != EOF; number++) {
		switch (letter) {
		case 'p':
			turn(number);
			break;
		case 'w':
			if (write(wake[1], &number, 1) != 1 || read(woken[0], &number, 1) != 1)
				return 3;
			break;
		case 'h':
			raise(SIGUSR1);
			break;
		case 'b':
			sigprocmask(SIG_SETMASK, &all, &before);
			turn(number);
			sigprocmask(SIG_SETMASK, &before, NULL);
			break;
		case 'l': {
			void *library = dlopen(argv[1], RTLD_NOW);

			((int (*)(int))dlsym(library, "reach"))(number);
			dlclose(library);
			break;
		}
		case 't':
			signal(SIGTRAP, on_trap);
			raise(SIGTRAP);
			break;
		case 'd':
			signal(SIGTRAP, SIG_DFL);
			break;
		case 'f':
			if (fork() == 0) {
				turn(number);
				_exit(0);
			}
			wait(NULL);
			break;
		case 's':
			show(SIGUSR1);
			show(SIGTRAP);
			break;
		default:
			continue;
		}
		printf("done %d\n", traps);
	}
	return 0;
}

#endif
