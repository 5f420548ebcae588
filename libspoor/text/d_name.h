/* SPDX-License-Identifier: MIT */
/* d_name.h - demangles linkage names of the language D. */
#ifndef SPOOR_D_NAME_H
#define SPOOR_D_NAME_H

/*
 * spoor_d_name - demangles a linkage name of D.
 *
 * Return: the name, which the caller frees; null if the name is not D's, if it would be longer than
 * 64 KiB, or if there is no memory.
 */
char *spoor_d_name(const char *linkage);

#endif
