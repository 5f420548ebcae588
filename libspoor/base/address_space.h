/* SPDX-License-Identifier: MIT */
/* address_space.h - how much address space the runtime may map at once in a process with a limit. */
#ifndef SPOOR_ADDRESS_SPACE_H
#define SPOOR_ADDRESS_SPACE_H

#include <stdint.h>

/*
 * spoor_address_space_share - how much the runtime may map at once, in bytes.
 *
 * Return: UINT64_MAX if the process has no limit (RLIMIT_AS), else an eighth of the unused address
 * space: the rest stays for the program and its children.
 */
uint64_t spoor_address_space_share(void);

/* A caller that needs more than one share may map at most this many shares, or must do without. */
#define SPOOR_ADDRESS_SPACE_SHARES_MOST 4

#endif
