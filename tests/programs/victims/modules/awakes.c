/* SPDX-License-Identifier: MIT */
/* awakes.c - a program that enables the runtime, if it is loaded, while it runs. */
#include <stdio.h>

#include "spoor_attributes.h"

extern volatile int early_calls;

extern int spoor_initialize(void) __attribute__((weak));
extern int spoor_is_initialized(void) __attribute__((weak));
extern long spoor_enable(void) __attribute__((weak));
extern int spoor_is_enabled(void) __attribute__((weak));

SPOOR_ALWAYS static void before(void)
{
	early_calls++;
}

SPOOR_ALWAYS static void after(void)
{
	early_calls++;
}

int main(void)
{
	before();
	if (!spoor_enable) {
		puts("no runtime");
		return 0;
	}
	printf("initialized %d, enabled %d; then ", spoor_is_initialized(), spoor_is_enabled());
	spoor_initialize();
	spoor_enable();
	printf("%d, %d\n", spoor_is_initialized(), spoor_is_enabled());
	after();
	return early_calls != 3;
}
