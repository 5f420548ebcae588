/* SPDX-License-Identifier: MIT */
/* module_path.h - finds the file of a module. */
#ifndef SPOOR_MODULE_PATH_H
#define SPOOR_MODULE_PATH_H

#include <limits.h>
#include <stdbool.h>

/*
 * spoor_object_path - stores the canonical path of a loaded object, or "" if there is none.
 * @name: from the dynamic linker's list; "" is the executable
 *
 * Return: whether it has a path.
 */
bool spoor_object_path(const char *name, char path[PATH_MAX]);

/*
 * spoor_module_path - path of the file of the module at @address; "" if there is none.
 *
 * Takes a lock of the dynamic linker, so the caller must not hold the registry's lock. (dladdr would
 * search all symbols of the module.)
 */
void spoor_module_path(const void *address, char path[PATH_MAX]);

#endif
