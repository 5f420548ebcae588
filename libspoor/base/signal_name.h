/* SPDX-License-Identifier: MIT */
/* signal_name.h - parses the name or number of the signal that requests a flush. */
#ifndef SPOOR_SIGNAL_NAME_H
#define SPOOR_SIGNAL_NAME_H

/*
 * spoor_signal_number - converts "SIGUSR1", "USR1", "10", "SIGRTMIN+3" or "RTMAX-1" to a number.
 *
 * Return: the number; 0 for "none"; -EINVAL for unknown names, and for signals that report a fault,
 * cannot be caught, or are reserved for libc.
 */
int spoor_signal_number(const char *name);

#endif
