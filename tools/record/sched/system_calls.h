/* SPDX-License-Identifier: MIT */
/* system_calls.h - what the recorder knows about the kernel's system calls. */
#ifndef SPOOR_TOOLS_RECORD_SYSTEM_CALLS_H
#define SPOOR_TOOLS_RECORD_SYSTEM_CALLS_H

#include <stdint.h>

struct sched_writer;

#define SYSTEM_CALL_UNKNOWN "syscall_"	/* before a number without a name */

/* Returns the name, or null if it is unknown. */
const char *system_call_name(uint32_t number);

/* Returns enum spoor_sched_name_flags; 0 for an unknown one. */
uint8_t system_call_flags(uint32_t number);

/* Writes all names. */
void system_calls_write_names(struct sched_writer *writer);

#endif
