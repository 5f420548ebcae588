/* SPDX-License-Identifier: MIT */
/*
 * detained.c - a supervisor holds a thread in a system call while the thread has locks of libspoor.so.
 *
 * usage: detained < ORDERS. Each order is a line, and is answered with a line:
 *
 *   hold      a thread disables a function, and is held in its mprotect
 *   release   the thread continues; prints how many functions it changed
 *   fork      a child calls the function a hundred times; prints its status
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spoor.h"

#pragma weak spoor_functions_disable

static int listener = -1;

__attribute__((noinline)) void leaf(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void other(void)
{
	__asm__ volatile("");
}

/* A filter applies to the calling thread only. */
static void *disable(void *unused)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	int fd = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -1 :
		 (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);

	__atomic_store_n(&listener, fd < 0 ? -2 : fd, __ATOMIC_RELEASE);
	if (fd < 0)
		return unused;
	return (void *)spoor_functions_disable("detained", "other");
}

/* Receives the next system call of the thread. An interrupted call is made again. */
static int receive_call(struct seccomp_notif *call)
{
	memset(call, 0, sizeof(*call));
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, call);
}

/* Lets all further calls of the thread continue. */
static void *continue_calls(void *unused)
{
	struct seccomp_notif call;

	while (receive_call(&call) == 0) {
		struct seccomp_notif_resp answer = { .id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
	return unused;
}

static int fork_one(void)
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		for (int i = 0; i < 100; i++)
			leaf();
		_exit(7);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	pthread_t held, supervisor;
	struct seccomp_notif call;
	void *changed;
	char order[32];

	leaf();
	other();
	while (fgets(order, sizeof(order), stdin)) {
		if (strcmp(order, "hold\n") == 0) {
			pthread_create(&held, NULL, disable, NULL);
			while (__atomic_load_n(&listener, __ATOMIC_ACQUIRE) == -1)
				usleep(1000);
			if (listener < 0 || receive_call(&call) < 0)
				return 77;
			printf("held\n");
		} else if (strcmp(order, "release\n") == 0) {
			struct seccomp_notif_resp answer = { .id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

			ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
			pthread_create(&supervisor, NULL, continue_calls, NULL);
			pthread_join(held, &changed);
			printf("released %ld\n", (long)changed);
		} else if (strcmp(order, "fork\n") == 0) {
			printf("child %d\n", fork_one());
		}
		fflush(stdout);
	}
	return 0;
}
