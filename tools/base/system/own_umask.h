/* SPDX-License-Identifier: MIT */
/*
 * own_umask.h - changes the umask of spoor's commands: the user's umask, without the bits of the
 * owner.
 *
 * With a umask that removes the owner's bits, a command could not use the files and directories that
 * it makes.
 */
#ifndef SPOOR_OWN_UMASK_H
#define SPOOR_OWN_UMASK_H

/* Called once, before any file is created. */
void own_umask_begin(void);

/* Restores the user's umask, for a program that is started. */
void own_umask_restore(void);

#endif
