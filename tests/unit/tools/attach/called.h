/* SPDX-License-Identifier: MIT */
/* called.h - processes that are called into: forked, so functions lie where they lie here. */
#ifndef CALLED_H
#define CALLED_H

#include <semaphore.h>
#include <stdint.h>
#include <sys/types.h>

#define SECOND_NS 1000000000ll

/* What a test and its processes share. */
extern struct called {
	sem_t semaphore;
	volatile int begun, go_on;
	volatile uint64_t calls;	/* of called_sum */
	volatile uint64_t *nowhere;
} *called;
extern int called_pipe[2];

/* A fixture. */
void called_setup(void);

/* A process that does that; it ends with the test. */
pid_t called_start(int (*body)(void));

/* Return: its exit status, or -1 where it was killed. */
int called_end(pid_t pid);

/* Of its first thread, as /proc/PID/status has it. */
char called_state(pid_t pid);
void called_wait_for_state(pid_t pid, char state);

/*
 * called_sum - has the process call a function that uses the vector registers, errno, and
 * much stack, and looks at the result. Return: as inject_call.
 */
int called_sum(pid_t pid);

/* The architecture's: has results in vector registers; body of a process whose registers all have
 * contents that must still be there when it goes on. */
void called_use_vectors(void);
int called_in_registers(void);

/* Body of a process that waits for a byte in the pipe; what gives it that. */
int called_in_read(void);
void called_write_pipe(void);

#endif
