/* SPDX-License-Identifier: MIT */
/*
 * records.h - the process file: what the process itself writes into its folder.
 *
 * A block is in the file whole or not at all, and blocks of several threads do not
 * mix. What cannot be written is said once; the program goes on. The records of
 * trace.h are written here; the four below are trace.c's, under the registry's lock.
 */
#ifndef SPOOR_TRACE_RECORDS_H
#define SPOOR_TRACE_RECORDS_H

/*
 * spoor_trace_records_begin - makes the file, with what is known of the process.
 * @folder: stays the caller's, as it is, until the file is closed
 *
 * Return: 0, or a negative errno.
 */
int spoor_trace_records_begin(const char *folder);

/* The process ends in order, or its trace does. */
void spoor_trace_records_end(void);

void spoor_trace_records_close(void);

/* In a forked child: the file is the parent's, and whoever held the lock is not here. */
void spoor_trace_records_forget(void);

#endif
