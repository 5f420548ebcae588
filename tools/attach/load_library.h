/* SPDX-License-Identifier: MIT */
/* load_library.h - a library goes into a process that is attached to, or it is said why not. */
#ifndef SPOOR_TOOLS_ATTACH_LOAD_LIBRARY_H
#define SPOOR_TOOLS_ATTACH_LOAD_LIBRARY_H

#include <stdbool.h>

#include "attach/inject_library.h"

/* Says what keeps a call in the process from being made. Return: @error. */
int attach_explain(const struct target *target, int error);

/*
 * attach_load - loads a library, unless one of this name is there.
 * @library: its path
 * @copied:  the process does not find it there, and has a copy for as long as it loads it (other_namespaces.h)
 *
 * Return: 0, or a negative errno after a message. Context: INJECT_MAY_LOAD.
 */
int attach_load(struct inject *inject, struct target *target, const char *name, const char *library, bool copied);

/* Puts what is loaded where libraries that come later find its functions. Return: as inject_library_open. */
int attach_open_for_all(struct inject *inject, const struct target *target, const char *path);

#endif
