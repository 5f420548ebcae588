/* SPDX-License-Identifier: MIT */
/*
 * busy_place.c - is in a function that may hold a lock, half a second long, and then ends: no thread of it
 * ever stands where it could be called from outside. To be linked with -rdynamic.
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
