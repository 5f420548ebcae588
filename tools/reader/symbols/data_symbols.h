/* SPDX-License-Identifier: MIT */
/* data_symbols.h - names the variable at an address of a traced process, such as the lock that a thread waits for. */
#ifndef SPOOR_READER_DATA_SYMBOLS_H
#define SPOOR_READER_DATA_SYMBOLS_H

#include <stdint.h>

struct process;

/*
 * data_symbols_name - finds the static variable at an address in the executable and libraries of a process.
 *
 * Reads the files at their paths, if they are still the recorded builds.
 *
 * Returns its demangled name, with the offset if the address is within the variable, such as "pool+0x28",
 * which the caller frees; null if the address belongs to no named variable, as in memory of malloc(3).
 */
char *data_symbols_name(const struct process *process, uint64_t address);

#endif
