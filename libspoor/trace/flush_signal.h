/* SPDX-License-Identifier: MIT */
/*
 * flush_signal.h - a signal of the user's choice asks for a flush.
 *
 * The handler asks whoever drains, and waits for nothing. It is installed where the
 * signal does what it does by default; a handler of the program's own, installed before or
 * after, is the one that runs, and a message says so, once.
 */
#ifndef SPOOR_FLUSH_SIGNAL_H
#define SPOOR_FLUSH_SIGNAL_H

/* In a process that has something to trace. Does it once. Under the registry's lock. */
void spoor_flush_signal_begin(void);

/* When the process ends in order: whether the handler was ours to the end. */
void spoor_flush_signal_end(void);

#endif
