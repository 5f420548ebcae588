/* SPDX-License-Identifier: MIT */
/* thread_names.h - assigns the names in a process file to threads. */
#ifndef SPOOR_READER_THREAD_NAMES_H
#define SPOOR_READER_THREAD_NAMES_H

#include "reader/files/process.h"

/*
 * thread_names_settle - sets the names of the process's threads; the process owns them. Takes n log n
 * steps, because programs may start millions of threads.
 *
 * Returns 0 or -ENOMEM.
 */
int thread_names_settle(struct process *process);

#endif
