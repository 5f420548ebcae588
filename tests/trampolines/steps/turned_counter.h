/* SPDX-License-Identifier: MIT */
/*
 * turned_counter.h - a time stamp counter that the test turns, for the calling
 * thread: rdtsc faults, and a handler answers.
 *
 * So a counter that rolls, or a thread that lay still for a minute between two
 * instructions, costs no waiting. One thread at a time.
 */
#ifndef TURNED_COUNTER_H
#define TURNED_COUNTER_H

#include <signal.h>
#include <stdint.h>

/* What the next rdtsc reads; each reading adds TURNED_COUNTER_STEP. */
extern volatile uint64_t turned_counter;
#define TURNED_COUNTER_STEP 100

/* Called after each rdtsc that was executed with the trap flag set: the kernel
 * would skip the trap between it and the next instruction. */
extern void (*turned_counter_stepped)(uint64_t instruction);

/* sigaction, with a handler in which rdtsc may stand: the thread sanitizer's blocks all
 * signals there. Return: 0 or a negative errno. */
int turned_counter_handle(int number, const struct sigaction *action);

/* Return: 0 or a negative errno. */
int turned_counter_begin(void);
void turned_counter_end(void);

#endif
