/* SPDX-License-Identifier: MIT */
/*
 * probe.h - static tracepoints that know nothing of us: each is recorded at a breakpoint of ours in
 * the place of its nop.
 *
 * Why a breakpoint: the nop has one byte, and what stands behind it may be jumped to, so there is no
 * room for a jump. Why in the process and not under ptrace: nothing has to be undone when the
 * recorder dies, a forked child is whole, and a hit costs a fifth.
 *
 * A trap that meets a blocked SIGTRAP ends the process, and so does one that nobody handles: so
 * nothing is attached without libspoor_trap.so, which lets neither happen, nor under a debugger. It is preloaded,
 * or comes into a process that runs.
 *
 * Invariants
 *   I1  Modules and sites change under the registry's lock, which nests in the dynamic linker's: what
 *       is in the text is exchanged under both, so nothing is unmapped meanwhile.
 *   I2  A site is found by its address from before its breakpoint is written until its module is
 *       unmapped; without a lock, by threads that met the breakpoint.
 *   I3  Sites are never freed; one of a module that comes again is used again.
 */
#ifndef SPOOR_PROBE_H
#define SPOOR_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/sdt_operand.h"
#include "spoor/sdt.h"

struct spoor_probe_site {
	struct spoor_probe_site *next;	/* of its module */
	uintptr_t address;		/* of the nop, where it is loaded */
	uint16_t *semaphore;		/* null: it has none */
	struct spoor_sdt_probe probe;	/* to semaphores.h one as those of spoor/sdt.h, */
	volatile unsigned int gate;	/* ... with this as its semaphore */
	uint64_t types;			/* as spoor/sdt.h hands them over */
	uint16_t count;			/* of operands, */
	uint16_t relative;		/* ... of these, bits: the number moves with the module */
	uint8_t nop_bytes;
	bool uses_vectors;
	bool written;			/* the breakpoint is, */
	bool raised;			/* ... and the semaphore is raised, by us */
	bool occupied;			/* something else is there, as a debugger's breakpoint */
	bool told;			/* of this or the obstacle */
	const char *obstacle;		/* why it cannot be recorded; null: it can */
	struct sdt_operand operands[];
};

/*
 * spoor_probes_follow - makes what is loaded agree with what is chosen: finds tracepoints of modules
 * that came, forgets those of modules that are gone, and writes breakpoints or takes them away.
 *
 * Return: how many that are new are on. Context: not under the registry's lock; not signal-safe.
 */
long spoor_probes_follow(void);

/*
 * spoor_probes_stop - where libspoor_trap.so came late, what nobody has chosen any more is out of the text, and
 * what the dynamic linker does is not followed any more. Then, once no thread is in libspoor.so nor has a SIGTRAP
 * before it, spoor_probes_leave may give SIGTRAP back.
 *
 * Return: whether it is so, or was never taken late; breakpoints may be left.
 * Context: as above.
 */
void spoor_probes_stop(void);
bool spoor_probes_leave(void);

/* Says what could not be read. At the end. */
void spoor_probes_end(void);

/* The rest is for probe_*.c. */

/* The sites by their addresses. The first is signal-safe, the others are under the registry's lock. */
struct spoor_probe_site *spoor_probe_find(uintptr_t address);
bool spoor_probe_table_add(struct spoor_probe_site *site);
void spoor_probe_table_remove(const struct spoor_probe_site *site);

/* Reads a module's notes into sites, as its file has them: address, semaphore and symbols are those
 * of the file. Return: the first one, or null. Under the registry's lock. */
struct spoor_elf_file;
struct spoor_probe_site *spoor_probe_sites_read(const struct spoor_elf_file *file, const char *path);

/* Takes SIGTRAP. Return: whether breakpoints can be met. Under no lock of ours. */
bool spoor_probe_trap_begin(void);

/* Where the dynamic linker has a breakpoint of ours, at which it has come or gone to @state. */
void spoor_probe_trap_linker(uintptr_t address, const int *state);

#endif
