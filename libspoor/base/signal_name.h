/* SPDX-License-Identifier: MIT */
/* signal_name.h - signals that may ask for a flush, by name or number. */
#ifndef SPOOR_SIGNAL_NAME_H
#define SPOOR_SIGNAL_NAME_H

/*
 * spoor_signal_number - the signal that "SIGUSR1", "USR1", "10", "SIGRTMIN+3" or "RTMAX-1" means.
 *
 * Return: its number; 0 for "none"; -EINVAL where it is none, or one that tells of a
 * fault, cannot be caught, or is libc's own.
 */
int spoor_signal_number(const char *name);

#endif
