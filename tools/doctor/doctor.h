/* SPDX-License-Identifier: MIT */
/*
 * doctor.h - the checks of `spoor doctor`. Each check reports findings (findings.h) and changes
 * no file and no process.
 */
#ifndef SPOOR_TOOLS_DOCTOR_H
#define SPOOR_TOOLS_DOCTOR_H

#include <sys/types.h>

#include "reader/symbols/elf_facts.h"
#include "format/trace_format.h"

/* Checks the installation: libspoor.so, memory for the pool, a place for the trace. */
void doctor_installation(void);

/* Checks a program, found as the shell finds it, and the libraries with which it is linked. */
void doctor_program(const char *name);

void doctor_process(pid_t process_id);
void doctor_trace(const char *path);

/* Reports lost events by cause. Unwanted losses are problems. @name: the process, as shown; @in_ring: the mode
 * keeps only the last events. */
void doctor_losses(const char *name, const uint64_t lost[SPOOR_LOSS_COUNT + 1], bool in_ring);

/*
 * doctor_module - reports whether one module can be recorded, and by what kind of instrumentation.
 *
 * Returns whether it can be recorded.
 */
bool doctor_module(const char *name, const struct elf_facts *facts);

/* Tells if the file system of @path allows to map and execute it. */
bool doctor_is_executable_there(const char *path);

#endif
