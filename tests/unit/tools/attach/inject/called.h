/* SPDX-License-Identifier: MIT */
/* called.h - processes for the tests of inject.h. They are forked, so functions have the same addresses as here. */
#ifndef CALLED_H
#define CALLED_H

#include <semaphore.h>
#include <stdint.h>
#include <sys/types.h>

#define SECOND_NS 1000000000ll

/* Memory that a test shares with its processes. */
extern struct called {
	sem_t semaphore;
	volatile int begun, go_on;
	volatile uint64_t calls;	/* number of calls of called_sum */
	volatile uint64_t *nowhere;
} *called;
extern int called_pipe[2];

/* The set-up of each test. */
void called_setup(void);

/* Starts a process that runs @body. The process ends with the test. Returns its ID. */
pid_t called_start(int (*body)(void));

/* Ends the process. Returns its exit status, or -1 if a signal killed it. */
int called_end(pid_t pid);

/* Returns the state of its first thread, as in /proc/PID/status. */
char called_state(pid_t pid);
void called_wait_for_state(pid_t pid, char state);

/*
 * called_sum - makes the process call a function that uses vector registers, errno and
 * much stack, and checks the result. Returns the same values as inject_call.
 */
int called_sum(pid_t pid);

/* Each architecture has its own. The first changes all vector registers. The second is the body of a process that
 * fills all registers, and exits with 0 if they are unchanged after the calls. */
void called_use_vectors(void);
int called_in_registers(void);

/* The first is the body of a process that waits for a byte from a pipe. The second writes that byte. */
int called_in_read(void);
void called_write_pipe(void);

#endif
