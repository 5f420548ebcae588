/* SPDX-License-Identifier: MIT */
/* inject_library.h - loads a library into a running process. */
#ifndef SPOOR_TOOLS_INJECT_LIBRARY_H
#define SPOOR_TOOLS_INJECT_LIBRARY_H

#include "attach/inject/inject.h"

/*
 * inject_library_open - calls dlopen(3) in the process.
 * @handle: receives its result; 0 if the library cannot be loaded
 *
 * Returns 0, -ENOSYS if the process has no dlopen, or errors of inject_run. Context: INJECT_MAY_LOAD.
 */
int inject_library_open(struct inject *inject, const struct target *target, const char *path, int flags, uint64_t *handle);

#endif
