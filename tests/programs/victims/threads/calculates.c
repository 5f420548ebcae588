/* SPDX-License-Identifier: MIT */
/*
 * calculates.c - two threads calculate, copy and compare with functions of libc and libm, or
 * of libraries that replace them. Prints the results.
 */
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../common/work.h"

#define ROUNDS 20000

struct result {
	double sum;
	long double long_sum;
	complex double complex_sum;
	unsigned long bytes;
};

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static void *calculate(void *argument)
{
	struct result *result = argument;
	char text[100], copy[100];

	for (volatile int i = 0; i < ROUNDS; i++) {
		double x = (i % 100) / 100.0;

		leaf();
		result->sum += sin(x) + fma(x, 2, 1);
		result->long_sum += sinl(x);
		result->complex_sum += cexp(x + I * x);
		memset(text, 'a' + i % 26, sizeof(text));
		text[i % 99 + 1] = '\0';
		memcpy(copy, text, sizeof(text));
		memmove(copy + 1, copy, 50);
		result->bytes += strlen(copy) + (unsigned long)(strcmp(text, copy) == 0) +
				 (unsigned long)(memcmp(text, copy, sizeof(text)) == 0);
	}
	return NULL;
}

int main(void)
{
	struct result results[2] = { 0 };
	pthread_t thread;

	pthread_create(&thread, NULL, calculate, &results[1]);
	calculate(&results[0]);
	pthread_join(thread, NULL);
	for (int i = 0; i < 2; i++)
		printf("%.12g %.12Lg %.12g %.12g %lu\n", results[i].sum, results[i].long_sum,
		       creal(results[i].complex_sum), cimag(results[i].complex_sum), results[i].bytes);
	return 5;
}
