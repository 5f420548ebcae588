/* SPDX-License-Identifier: MIT */
/*
 * registers.h - all that a program can have in a processor, before and after it
 * ran through a sled. What that is the architecture's own header says. Included by assembly too.
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
 * registers_run - loads all registers, calls, stores them all.
 * @function: called with before->stack above its frame
 * @level:    what the machine has, by the architecture's names
 */
void registers_run(const struct registers *before, struct registers *after, void (*function)(void), int level);

/* Where it comes back to. */
extern const char registers_after[];

/* Functions with hand-written sleds, in a module of their own making. */
void registers_entry(void);
void registers_exit(void);
void registers_tail(void);
void registers_tail_indirect(void);	/* both to */
void registers_return(void);

struct sled {
	const char *name;
	void (*function)(void);
	bool tail, exit;
	int target;		/* the register that it leaves through; -1: none */
};
extern const struct sled sleds[];
extern const int sled_count;

/* What has to come out as it went in, by the way of the event. */
struct kept;
extern const struct kept kept_by_logging, kept_by_bare, kept_by_dormant;

/* The handler of a signal before each instruction, which `single_steps` asks for; it counts
 * `steps`. Null where the machine has no such thing. */
extern void (*const registers_trapped)(int number, siginfo_t *info, void *context);
extern bool single_steps;
extern unsigned long steps;

/* Runs once with random contents, and says what is not as it was. */
void registers_try(const char *way, const struct sled *sled, const struct kept *kept);

/* Runs each set of trampolines for handlers. @set: null for what the runtime chooses */
typedef void handle_all(spoor_handler *handler, const struct spoor_trampolines *set, const char *way,
			const struct kept *kept, int count);
void registers_handle(handle_all *handle, int count);

/* registers.c's. */
uint64_t random_word(void);
void random_bytes(void *bytes, size_t size);
void failed(const char *way, const struct sled *sled, const char *what, uint64_t before, uint64_t after);

#endif
#endif
