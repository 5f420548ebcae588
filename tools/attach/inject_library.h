/* SPDX-License-Identifier: MIT */
/* inject_library.h - a library goes into a process that runs. */
#ifndef SPOOR_TOOLS_INJECT_LIBRARY_H
#define SPOOR_TOOLS_INJECT_LIBRARY_H

#include "attach/inject.h"

/*
 * inject_library_open - dlopen(3) there.
 * @handle: gets what it returned: 0 where the library cannot be loaded
 *
 * Return: 0, -ENOSYS where there is no dlopen, or as inject_run. Context: INJECT_MAY_LOAD.
 */
int inject_library_open(struct inject *inject, const struct target *target, const char *path, int flags, uint64_t *handle);

#endif
