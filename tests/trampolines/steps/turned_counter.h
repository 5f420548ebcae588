/* SPDX-License-Identifier: MIT */
/*
 * turned_counter.h - a time stamp counter that the test sets, for the calling thread:
 * rdtsc faults, and a signal handler provides the value.
 *
 * A counter that wraps, or a thread that was stopped for a minute between two instructions,
 * is tested without waiting. Only one thread at a time can use it.
 */
#ifndef TURNED_COUNTER_H
#define TURNED_COUNTER_H

#include <signal.h>
#include <stdint.h>

/* The value of the next rdtsc. Each rdtsc adds TURNED_COUNTER_STEP. */
extern volatile uint64_t turned_counter;
#define TURNED_COUNTER_STEP 100

/* Called after each rdtsc that ran with the trap flag set, because the kernel skips
 * the trap between it and the next instruction. */
extern void (*turned_counter_stepped)(uint64_t instruction);

/* Like sigaction, for handlers that execute rdtsc: the thread sanitizer's sigaction blocks all signals
 * there. Returns 0 or a negative errno. */
int turned_counter_handle(int number, const struct sigaction *action);

/* Returns 0 or a negative errno. */
int turned_counter_begin(void);
void turned_counter_end(void);

#endif
