/* SPDX-License-Identifier: MIT */
/*
 * permanent.h - allocates small objects that live as long as the process: names, instances, rules.
 *
 * They are never freed. The runtime must not call the program's malloc.
 */
#ifndef SPOOR_PERMANENT_H
#define SPOOR_PERMANENT_H

#include <stddef.h>

/* Returns zeroed memory, aligned to 16 bytes, or null if there is none. The caller holds the registry's lock. */
void *spoor_permanent_alloc(size_t bytes);
char *spoor_permanent_text(const char *text);

#endif
