/* SPDX-License-Identifier: MIT */
/*
 * probe.h - records static tracepoints of other tools (<sys/sdt.h>): each gets a breakpoint in place of its nop.
 *
 * Why a breakpoint: the nop has one byte, and the program may jump to the next instruction, so there is no
 * room for a jump. Why in the process and not under ptrace: nothing has to be undone if the recorder dies,
 * a forked child is intact, and a hit costs a fifth.
 *
 * A trap ends the process if SIGTRAP is blocked or has no handler. So spoor writes breakpoints only if
 * libspoor_trap.so, which prevents both, is in the process, and no debugger is. The library is preloaded,
 * or loaded into the running process.
 *
 * Invariants
 *   I1  Modules and sites change under the registry's lock, which nests in the dynamic linker's lock. Text
 *       is written under both, so that no module is unmapped meanwhile.
 *   I2  A site is found by its address from before its breakpoint is written until its module is
 *       unmapped. Threads that hit the breakpoint find it without a lock.
 *   I3  Sites are never freed. A module that is loaded again uses its sites again.
 *   I4  Several sites may share one nop: a linker folds functions of the same code into one, each with its
 *       own note. The first of them, the leader, is in the table and has the breakpoint; it links the others.
 */
#ifndef SPOOR_PROBE_H
#define SPOOR_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/sdt_operand.h"
#include "spoor/sdt.h"

struct spoor_probe_site {
	struct spoor_probe_site *next;	/* of the same module */
	struct spoor_probe_site *leader;	/* at the same nop; the site itself if it leads, or is the only one */
	struct spoor_probe_site *same;	/* the leader's list of sites at its nop, or null */
	uintptr_t address;		/* of the loaded nop */
	uint16_t *semaphore;		/* null if the tracepoint has no semaphore */
	struct spoor_sdt_probe probe;	/* the site as semaphores.h sees it: a tracepoint of spoor/sdt.h, */
	volatile unsigned int gate;	/* ... with this as its semaphore */
	uint64_t types;			/* in the encoding of spoor/sdt.h */
	uint16_t count;			/* of operands */
	uint16_t relative;		/* bit N: the number of operand N moves with the module */
	uint8_t nop_bytes;
	bool uses_vectors;
	bool written;			/* the breakpoint is written; of a leader */
	bool raised;			/* spoor has raised the semaphore */
	bool occupied;			/* the nop was replaced, for example by a debugger's breakpoint; of a leader */
	bool told;			/* the user was warned that the site cannot be recorded */
	const char *obstacle;		/* why the site cannot be recorded; null if it can */
	struct sdt_operand operands[];
};

/*
 * spoor_probes_follow - updates tracepoints and breakpoints: finds tracepoints of new modules, forgets
 * tracepoints of closed modules, and writes or removes breakpoints as chosen.
 *
 * Returns how many tracepoints were switched on. Context: not under the registry's lock; not signal-safe.
 */
long spoor_probes_follow(void);

/*
 * spoor_probes_stop - if libspoor_trap.so came late, removes the breakpoints of tracepoints that are no
 * longer chosen, and stops following the dynamic linker.
 * spoor_probes_leave - then restores SIGTRAP. Call it when no thread is in libspoor.so or has a pending
 * SIGTRAP.
 *
 * The latter returns true if SIGTRAP was restored, or the library did not come late; false if breakpoints
 * are left.
 *
 * Context: as above.
 */
void spoor_probes_stop(void);
bool spoor_probes_leave(void);

/* Reports the arguments that could not be read. Call it at the end of the process. */
void spoor_probes_end(void);

/* The rest is internal to the files of probe/. */

/* The table of sites by address. The first function is signal-safe, the others run under the registry's lock. */
struct spoor_probe_site *spoor_probe_find(uintptr_t address);
bool spoor_probe_table_add(struct spoor_probe_site *site);	/* or links it to its leader */
bool spoor_probe_table_has_equal(const struct spoor_probe_site *site);	/* same nop, name, operands and semaphore */
void spoor_probe_table_remove(const struct spoor_probe_site *site);

/* Reads a module's notes into sites. Addresses, semaphores and symbols are as in the file. Returns the first
 * site, or null. Under the registry's lock. */
struct spoor_elf_file;
struct spoor_probe_site *spoor_probe_sites_read(const struct spoor_elf_file *file, const char *path);

/* Makes spoor the handler of SIGTRAP. Returns whether breakpoints can be handled. Not under the registry's lock. */
bool spoor_probe_trap_begin(void);

/* Sets the address of the breakpoint in the dynamic linker. *@state says whether the linker has finished a change. */
void spoor_probe_trap_linker(uintptr_t address, const int *state);

#endif
