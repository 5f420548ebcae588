/* SPDX-License-Identifier: MIT */
/* thread_names.h - which of the names in a process file is which thread's. */
#ifndef SPOOR_READER_THREAD_NAMES_H
#define SPOOR_READER_THREAD_NAMES_H

#include "reader/files/process.h"

/*
 * thread_names_settle - fills in the names of the process's threads, which stay
 * the process's. Needs n log n steps: programs begin threads by the million.
 *
 * Return: 0 or -ENOMEM.
 */
int thread_names_settle(struct process *process);

#endif
