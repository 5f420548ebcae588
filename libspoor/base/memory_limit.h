/* SPDX-License-Identifier: MIT */
/* memory_limit.h - how much memory a process may have. */
#ifndef SPOOR_MEMORY_LIMIT_H
#define SPOOR_MEMORY_LIMIT_H

#include <stdint.h>

/* spoor_memory_limit - bytes: the machine's, or the least that one of the process's control groups may have. */
uint64_t spoor_memory_limit(void);

#endif
