/* SPDX-License-Identifier: MIT */
/* slot_rules.c - calls library functions by every rule that call slots have, and prints results. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf place;

/* Leaves a library call that is open. */
static int compare_once(const void *left, const void *right)
{
	(void)left;
	(void)right;
	longjmp(place, 3);
}

static int compare(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

__attribute__((noinline)) int leaves(void)
{
	volatile int came = setjmp(place);
	int v[3] = { 3, 2, 1 };

	if (came == 0)
		qsort(v, 3, sizeof(*v), compare_once);
	qsort(v, 3, sizeof(*v), compare);
	return came * 10 + v[0];
}

__attribute__((noinline)) int child(void)
{
	int status = 0;
	pid_t pid = vfork();

	if (pid == 0)
		_exit(5);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

#ifdef __clang__
/* A call that must be a jump. */
__attribute__((noinline)) int jumps(int fd)
{
	__attribute__((musttail)) return close(fd);
}
#endif

/* Cancelled within a library call. */
static void *waits(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

__attribute__((noinline)) int cancelled(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, waits, NULL);
	usleep(1000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	return result == PTHREAD_CANCELED;
}

/* The results depend on the module that calls. */
__attribute__((noinline)) int by_caller(void)
{
	int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "atoi");
	void *self = dlopen("$ORIGIN/nowhere.so", RTLD_NOW);

	return (next ? next("7") : 0) + (self != NULL) * 100;
}

__attribute__((noinline)) int memory(int count)
{
	char *text = malloc((size_t)count), *more;
	int length;

	errno = 44;
	length = snprintf(text, (size_t)count, "%d %s %g %d %d %d %d %g %Lg", 1, "two", 3.5, 4, 5, 6, 7, 8.5, 9.25L);
	more = realloc(text, 4096);
	length += (int)strlen(more) + errno;
	free(more);
	return length;
}

int main(void)
{
	int fd = open("/dev/null", O_RDWR | O_CREAT, 0600);

	printf("%d\n", fd >= 0 && fcntl(fd, F_GETFD) == 0 && write(fd, "abc", 3) == 3);
	printf("%d %d %d %d %d\n", leaves(), child(), cancelled(), by_caller(), memory(100));
#ifdef __clang__
	printf("%d\n", jumps(fd));
#endif
	fflush(stdout);
	return 0;
}
