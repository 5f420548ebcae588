/* SPDX-License-Identifier: MIT */
/*
 * flush_signal.h - lets a signal that the user chooses request a flush.
 *
 * The handler sends a request to the drainer and does not wait. It is installed only if the
 * signal has its default action. A handler of the program, installed before or after, takes
 * precedence; spoor then prints one message.
 */
#ifndef SPOOR_FLUSH_SIGNAL_H
#define SPOOR_FLUSH_SIGNAL_H

/* Installs the handler, once. Called in a process that has something to trace. Under the registry's lock. */
void spoor_flush_signal_begin(void);

/* When the process ends normally: warns if the program has replaced the handler. */
void spoor_flush_signal_end(void);

#endif
