/* SPDX-License-Identifier: MIT */
/*
 * permanent.h - room for small things that live as long as the process: names,
 * instances, rules. Never freed; the program's malloc is not ours to call.
 */
#ifndef SPOOR_KEEP_H
#define SPOOR_KEEP_H

#include <stddef.h>

/* Zeroed, aligned to 16; null where there is none. Context: under the registry's lock. */
void *spoor_permanent_alloc(size_t bytes);
char *spoor_permanent_text(const char *text);

#endif
