/* SPDX-License-Identifier: MIT */
/* address_space.h - how much of a process's address space a guest may take at once. */
#ifndef SPOOR_ADDRESS_SPACE_H
#define SPOOR_ADDRESS_SPACE_H

#include <stdint.h>

/*
 * spoor_address_space_share - bytes; no limit where the process has none (RLIMIT_AS), else an eighth
 * of what is left: the rest is the program's, and its children's.
 */
uint64_t spoor_address_space_share(void);

/* What can do with no less takes so many of these, or does without. */
#define SPOOR_ADDRESS_SPACE_SHARES_MOST 4

#endif
