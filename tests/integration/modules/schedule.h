/* SPDX-License-Identifier: MIT */
/*
 * schedule.h - runs two operations in all the orders in which they can come between each
 * other.
 *
 * What is compiled with a call of ours in each basic block (trace-pc), and whose locks and
 * system calls lead to box_*, is scheduled. One thread runs at a time; it is interrupted
 *   in each basic block, once, or
 *   at each lock and system call, up to twice,
 * and the other one runs until it ends or has to wait.
 */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#define SCHEDULE_THREADS 2

struct schedule_case {
	const char *name;
	void (*setup)(void);
	void (*operations[SCHEDULE_THREADS])(void);
};

/* What the scheduled test has to offer. */
extern const struct schedule_test {
	void (*look)(void);		/* at every point */
	void (*check_end)(void);	/* after both operations */
	void (*clean_up)(void);
	void (*mapped)(int result);	/* after each mprotect */
} schedule_test;

/* How often all threads have been brought to see what was stored in the text. */
extern unsigned long schedule_barriers;

/* Ends the program: what was wrong, and in which order. */
__attribute__((format(printf, 1, 2), noreturn)) void schedule_wrong(const char *format, ...);

/* Runs all schedules. Return: how many there were. */
long schedule_run(const struct schedule_case *test);

#endif
