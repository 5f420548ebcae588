/* SPDX-License-Identifier: MIT */
/* syscall_names.h - the names of the kernel's system calls, which differ between architectures. */
#ifndef SPOOR_TOOLS_RECORD_SYSCALL_NAMES_H
#define SPOOR_TOOLS_RECORD_SYSCALL_NAMES_H

#include <stddef.h>

extern const char *const syscall_names[];	/* by number; null: no such system call */
extern const size_t syscall_name_count;

#endif
