/* SPDX-License-Identifier: MIT */
/*
 * schedule.h - runs two operations in all orders in which they can interleave.
 *
 * The scheduled code is compiled with a call in each basic block (trace-pc), and its locks and system calls are
 * replaced by box_*. One thread runs at a time and is interrupted
 *   in each basic block, once, or
 *   at each lock and system call, up to twice,
 * and the other thread runs until it ends or has to wait.
 */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#define SCHEDULE_THREADS 2

struct schedule_case {
	const char *name;
	void (*setup)(void);
	void (*operations[SCHEDULE_THREADS])(void);
};

/* The functions that the scheduled test provides. */
extern const struct schedule_test {
	void (*look)(void);		/* at every point */
	void (*check_end)(void);	/* after both operations */
	void (*clean_up)(void);
	void (*mapped)(int result);	/* after each mprotect */
} schedule_test;

/* The number of barriers that made all threads see the stored text. */
extern unsigned long schedule_barriers;

/* Prints the error and the order, and ends the program. */
__attribute__((format(printf, 1, 2), noreturn)) void schedule_wrong(const char *format, ...);

/* Runs all schedules. Returns their number. */
long schedule_run(const struct schedule_case *test);

#endif
