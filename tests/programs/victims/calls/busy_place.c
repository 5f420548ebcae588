/* SPDX-License-Identifier: MIT */
/*
 * busy_place.c - spends half a second in a function that may hold a lock, then ends. So spoor attach never finds a
 * place where it can call a function. Link with -rdynamic.
 */
#include <malloc.h>
#include <stdio.h>
#include <time.h>

__attribute__((noinline)) int malloc_info(int options, FILE *stream)
{
	(void)stream;
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	return options;
}

int main(void)
{
	return malloc_info(3, NULL);
}
