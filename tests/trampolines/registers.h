/* SPDX-License-Identifier: MIT */
/*
 * registers.h - the state of the processor before and after a run through a sled.
 * The architecture's own header has the details. Assembly includes this file, too.
 */
#ifndef REGISTERS_H
#define REGISTERS_H

#include REGISTERS_HEADER

#ifndef __ASSEMBLER__

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/processor.h"
#include "spoor.h"

/*
 * registers_run - loads all registers, calls @function, and stores all registers.
 * @function: @before->stack is above its frame
 * @level:    the registers that the machine has, by the architecture's names
 */
void registers_run(const struct registers *before, struct registers *after, void (*function)(void), int level);

/* The address to which the function returns. */
extern const char registers_after[];

/* Functions with hand-written sleds, in a module of the test. */
void registers_entry(void);
void registers_exit(void);
void registers_tail(void);
void registers_tail_indirect(void);	/* the target of both */
void registers_return(void);

struct sled {
	const char *name;
	void (*function)(void);
	bool tail, exit;
	int target;		/* number of the register that it jumps through; -1: none */
};
extern const struct sled sleds[];
extern const int sled_count;

/* The registers that must be the same afterwards; they depend on the path of the event. */
struct kept;
extern const struct kept kept_by_logging, kept_by_bare, kept_by_dormant;

/* The signal handler that runs before each instruction if `single_steps` is set, and counts
 * `steps`. Null on machines that cannot single-step. */
extern void (*const registers_trapped)(int number, siginfo_t *info, void *context);
extern bool single_steps;
extern unsigned long steps;

/* Runs once with random contents, and prints the registers that changed. */
void registers_try(const char *way, const struct sled *sled, const struct kept *kept);

/* A test that runs with each set of trampolines for handlers. @set: null for the set that the runtime chooses */
typedef void handle_all(spoor_handler *handler, const struct spoor_trampolines *set, const char *way,
			const struct kept *kept, int count);
void registers_handle(handle_all *handle, int count);

/* Defined in registers.c. */
uint64_t random_word(void);
void random_bytes(void *bytes, size_t size);
void failed(const char *way, const struct sled *sled, const char *what, uint64_t before, uint64_t after);

#endif
#endif
