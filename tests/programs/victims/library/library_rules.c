/* SPDX-License-Identifier: MIT */
/* library_rules.c - calls library functions in every way that spoor has a rule for, and prints results. No sleds. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <execinfo.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Arguments on the stack, known by their number or by a format. */
static void arguments(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(80) };
	char host[64], service[16], text[512], word[8];
	int n[10], got;
	void *memory;

	printf("%d %s %c %5.2f %*d %ld %-4x| %lld %zu %g %g %g %g %g %g %g %g %g %s %%\n", 1, "two", '3', 4.5, 5, 6, 7l, 8, 9ll,
	       (size_t)10, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, "end");
	printf("%Lf %d %Lg %d %d %d %d %Lf %.*f\n", 1.25L, 1, 2.5L, 2, 3, 4, 5, 3.75L, 2, 1.0 / 3);
	printf("%2$d %1$d\n", 1, 2);
	printf("plain\n");
	snprintf(text, sizeof(text), "%d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7);
	got = sscanf(text, "%d %d %d %d %d %*d %7[0-9a-z]", &n[0], &n[1], &n[2], &n[3], &n[4], word);
	printf("%d: %d %d %d %d %d %s\n", got, n[0], n[1], n[2], n[3], n[4], word);
	memory = (void *)syscall(SYS_mmap, NULL, 4096l, (long)PROT_READ, (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1l, 0l);
	printf("%d\n", memory != MAP_FAILED && *(char *)memory == 0);
	inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
	got = getnameinfo((struct sockaddr *)&address, sizeof(address), host, sizeof(host), service, sizeof(service),
			  NI_NUMERICHOST | NI_NUMERICSERV);
	printf("%d %s %s\n", got, host, service);
	strfroml(text, sizeof(text), "%.3f", 2.0L / 3);
	printf("%s %.6Lf %.3f %.3f\n", text, powl(1.5L, 2.5L), pow(2, 0.5), cbrt(n[4] + 3));
	fflush(stdout);
}

/* Calls below a callback that ends without a return. */
static jmp_buf out;
static int compared;

static int compare(const void *left, const void *right)
{
	return strcoll(left, right);
}

static int compare_once(const void *left, const void *right)
{
	if (++compared == 2)
		longjmp(out, 1);
	return strcoll(left, right);
}

static void jumps(void)
{
	char words[4][4] = { "d", "c", "b", "a" };

	for (int i = 0; i < 3; i++) {
		compared = 0;
		if (!setjmp(out))
			qsort(words, 4, sizeof(*words), compare_once);
		strtol("1", NULL, 10);
	}
	qsort(words, 4, sizeof(*words), compare);
	printf("%s%s%s%s\n", words[0], words[1], words[2], words[3]);
	fflush(stdout);
}

static int ready[2], idle[2];

static void *waits(void *unused)
{
	char byte;

	(void)unused;
	byte = (char)write(ready[1], "r", 1);
	/* A cancellation point that never returns. */
	while (read(idle[0], &byte, 1) < 0)
		;
	return NULL;
}

static int leaves(const void *left, const void *right)
{
	(void)left;
	(void)right;
	pthread_exit("left");
}

static void *exits(void *unused)
{
	char words[2][4] = { "b", "a" };

	(void)unused;
	qsort(words, 2, sizeof(*words), leaves);
	return NULL;
}

static void threads(void)
{
	pthread_t thread;
	void *result;
	char byte;

	if (pipe(ready) || pipe(idle))
		exit(1);
	pthread_create(&thread, NULL, waits, NULL);
	if (read(ready[0], &byte, 1) != 1)
		exit(1);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("%d\n", result == PTHREAD_CANCELED);
	pthread_create(&thread, NULL, exits, NULL);
	pthread_join(thread, &result);
	printf("%s\n", (char *)result);
	fflush(stdout);
}

static sigjmp_buf back;
static volatile int handled;

static void on_signal(int number)
{
	handled = number == SIGUSR1 && strtoul("7", NULL, 10) == 7;
	if (number == SIGUSR2)
		siglongjmp(back, 1);
}

static void signals(void)
{
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	raise(SIGUSR1);
	printf("%d\n", handled);
	/* Optimised code may keep a plain variable in a register, which siglongjmp restores. */
	for (volatile int i = 0; i < 3; i++)
		if (!sigsetjmp(back, 1))
			raise(SIGUSR2);
	printf("%d\n", handled);
	fflush(stdout);
}

static void processes(void)
{
	void *frames[16];
	int status;
	pid_t child = fork();

	if (!child) {
		strtoul("8", NULL, 10);
		execl("/bin/echo", "echo", "1", "2", "3", "4", "5", "6", "7", "8", "9", (char *)NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	/* An emulator's vfork is a fork that libc does not know. */
	if (!getenv("WITHOUT_VFORK")) {
		child = vfork();
		if (!child) {
			execl("/bin/echo", "echo", "vfork", (char *)NULL);
			_exit(1);
		}
		waitpid(child, &status, 0);
	}
	errno = 0;
	printf("%d %d %d\n", close(-1), errno == EBADF, backtrace(frames, 16) >= 3);
	fflush(stdout);
}

int main(void)
{
	setlocale(LC_ALL, "C");
	arguments();
	jumps();
	threads();
	signals();
	processes();
	return 0;
}
