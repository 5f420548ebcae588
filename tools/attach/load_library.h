/* SPDX-License-Identifier: MIT */
/* load_library.h - loads a library into an attached process, or explains why it cannot. */
#ifndef SPOOR_TOOLS_ATTACH_LOAD_LIBRARY_H
#define SPOOR_TOOLS_ATTACH_LOAD_LIBRARY_H

#include <stdbool.h>

#include "attach/inject/inject_library.h"

/* Prints why a call in the process failed. Returns @error. */
int attach_explain(const struct target *target, int error);

/*
 * attach_load - loads a library, unless the process has one of this name.
 * @library: its path
 * @copied:  the process cannot open that path, and gets a temporary copy (other_namespaces.h)
 *
 * Returns 0, or a negative errno after a message. Context: INJECT_MAY_LOAD.
 */
int attach_load(struct inject *inject, struct target *target, const char *name, const char *library, bool copied);

/* Makes the functions of the loaded library visible to libraries that are loaded later. Returns like
 * inject_library_open. */
int attach_open_for_all(struct inject *inject, const struct target *target, const char *path);

#endif
