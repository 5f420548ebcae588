/* SPDX-License-Identifier: MIT */
/* memory_limit.h - how much memory a process may have. */
#ifndef SPOOR_MEMORY_LIMIT_H
#define SPOOR_MEMORY_LIMIT_H

#include <stdint.h>

/* Returns the memory of the machine in bytes, or the limit of the process's control groups if it is lower. */
uint64_t spoor_memory_limit(void);

#endif
