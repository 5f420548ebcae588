/* SPDX-License-Identifier: MIT */
/*
 * doctor.h - what `spoor doctor` looks at. Each of these says what it finds (findings.h) and
 * changes nothing.
 */
#ifndef SPOOR_TOOLS_DOCTOR_H
#define SPOOR_TOOLS_DOCTOR_H

#include <sys/types.h>

#include "reader/symbols/elf_facts.h"
#include "format/trace_format.h"

/* Whether programs can be traced here at all: libspoor.so, memory for the pool, a place for the trace. */
void doctor_installation(void);

/* A program, as the shell would find it, and the libraries that it is linked with. */
void doctor_program(const char *name);

void doctor_process(pid_t process_id);
void doctor_trace(const char *path);

/* Events lost, by cause: those that nobody wanted are problems. @who: a process, for people;
 * @in_ring: it keeps the last events alone. */
void doctor_losses(const char *who, const uint64_t lost[SPOOR_LOSS_COUNT + 1], bool in_ring);

/*
 * doctor_module - what of one module can be recorded, and how its functions will be called.
 *
 * Return: whether anything of it can be.
 */
bool doctor_module(const char *name, const struct elf_facts *facts);

/* Whether a library can be mapped and executed from where it lies. */
bool doctor_may_be_executed(const char *path);

#endif
