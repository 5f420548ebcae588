/* SPDX-License-Identifier: MIT */
/*
 * own_umask.h - the umask of the commands of spoor: the user's, without the bits of the owner.
 *
 * Under a umask that takes these away, no file or directory that a command makes could be used by the command itself.
 */
#ifndef SPOOR_OWN_UMASK_H
#define SPOOR_OWN_UMASK_H

/* Once, before any file is made. */
void own_umask_begin(void);

/* Sets the user's again, for a program that is started. */
void own_umask_restore(void);

#endif
