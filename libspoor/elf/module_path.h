/* SPDX-License-Identifier: MIT */
/* module_path.h - the files of modules. */
#ifndef SPOOR_MODULE_PATH_H
#define SPOOR_MODULE_PATH_H

#include <limits.h>

/*
 * spoor_module_path - the file of the module that has something at @address; "" where there is none.
 *
 * Asks the dynamic linker: not under the registry's lock. (dladdr would go through all of the
 * module's symbols.)
 */
void spoor_module_path(const void *address, char path[PATH_MAX]);

#endif
