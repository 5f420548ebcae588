/* SPDX-License-Identifier: MIT */
/*
 * throttled.c - a program that is attached to while it seldom gets a processor, and checks that nothing of it changes:
 * its memory, vector registers, errno, signal mask and descriptors.
 *
 * Usage: throttled BEAT STOP [own]. It writes how many rounds it has made into BEAT until the file STOP exists, and
 * returns 0, or the number of changed values. With `own` a second thread computes all the time, beside one that sleeps.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <spoor/sdt.h>

#define QUIET __attribute__((no_instrument_function))

__attribute__((noinline)) int tick(int x)
{
	SPOOR_SDT(throttled, tick, x);		/* a nop, where spoor can set a breakpoint */
	return x + 1;
}

/* Sums that stay in vector registers and are exact. */
QUIET static int sums_are_right(void)
{
	double a = 1, b = 2, c = 3;

	for (int i = 0; i < 2000; i++) {
		a += 1;
		b += 2;
		c += 4;
		__asm__ volatile("" : "+x"(a), "+x"(b), "+x"(c));
	}
	return a == 2001 && b == 4002 && c == 8003;
}

QUIET static int memory_is_right(unsigned int round)
{
	size_t size = 100 + (round & 1023);
	unsigned char *bytes = malloc(size);
	int right = bytes != NULL;

	if (bytes)
		memset(bytes, (int)round, size);
	for (int i = 0; i < 20; i++)
		free(malloc(size / 2));
	for (size_t i = 0; bytes && i < size; i++)
		right &= bytes[i] == (unsigned char)round;
	free(bytes);
	return right;
}

QUIET static void *compute(void *unused)
{
	(void)unused;
	for (;;)
		tick(1);
}

QUIET static void *rest(void *unused)
{
	(void)unused;
	for (;;)
		usleep(1000);
}

int main(int count, char **arguments)
{
	int fd = open(arguments[1], O_CREAT | O_RDWR | O_CLOEXEC, 0644), wrong = 0, n = 0;
	sigset_t wanted, mask;
	pthread_t thread;
	char text[32];

	if (fd < 0 || count < 3)
		return 99;
	if (count > 3) {
		pthread_create(&thread, NULL, compute, NULL);
		pthread_create(&thread, NULL, rest, NULL);
	}
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &wanted, NULL);
	while (!wrong && access(arguments[2], F_OK) != 0) {
		errno = EXDEV;
		for (int i = 0; i < 200 && !wrong; i++) {
			wrong = !memory_is_right((unsigned int)n) ? 1 : !sums_are_right() ? 2 : 0;
			n = tick(n);
		}
		wrong = wrong ? wrong : errno != EXDEV ? 3 : !dlsym(RTLD_DEFAULT, "malloc") ? 4 : 0;
		pthread_sigmask(SIG_SETMASK, NULL, &mask);
		if (sigismember(&mask, SIGUSR1) != 1 || sigismember(&mask, SIGUSR2) != 0 || sigismember(&mask, SIGTRAP) != 0)
			wrong = 5;
		snprintf(text, sizeof(text), "%010d\n", n);
		if (pwrite(fd, text, 11, 0) != 11)
			wrong = 6;
	}
	return wrong;
}
