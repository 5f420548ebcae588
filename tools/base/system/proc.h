/* SPDX-License-Identifier: MIT */
/* proc.h - tells whether /proc is mounted. */
#ifndef SPOOR_PROC_H
#define SPOOR_PROC_H

/* Return: 0, or SPOOR_EXIT_BAD_TRACE after a message that /proc is missing. */
int proc_check(void);

#endif
