/* SPDX-License-Identifier: MIT */
/*
 * work.h - what is measured: two functions and the ways to instrument them.
 *
 * work.c is compiled once for each way; victim.c, which calls it and takes the
 * time, is the same in all of them. A way is a pair of functions.
 */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

int leaf(int x);
uint64_t fib(unsigned int n);

/* Called in the main thread before and after the work. @how is the command
 * line's, or "". 0, or -1 after a message. */
int way_begin(const char *how);
int way_end(void);

#endif
