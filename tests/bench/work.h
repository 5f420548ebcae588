/* SPDX-License-Identifier: MIT */
/*
 * work.h - the two measured functions, and the set-up that each way of instrumenting has.
 *
 * work.c is compiled once for each way. victim.c, which calls the functions and measures the
 * time, is the same for all ways. A way is a pair of functions.
 */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

int leaf(int x);
uint64_t fib(unsigned int n);

/* Called in the main thread before and after the work. @how is from the command line, or "". Returns 0, or -1
 * after a message. */
int way_begin(const char *how);
int way_end(void);

#endif
