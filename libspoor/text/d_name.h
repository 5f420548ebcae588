/* SPDX-License-Identifier: MIT */
/* d_name.h - D's linkage names as the source has them. */
#ifndef SPOOR_D_NAME_H
#define SPOOR_D_NAME_H

/*
 * spoor_d_name - demangles a linkage name of D.
 *
 * A name whose back references would make more than 64 KiB of it is not demangled.
 *
 * Return: to be freed; null for a name that is not D's or too long, or without memory.
 */
char *spoor_d_name(const char *linkage);

#endif
