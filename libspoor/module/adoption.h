/* SPDX-License-Identifier: MIT */
/* adoption.h - registers modules that do not register themselves, or not in time. */
#ifndef SPOOR_ADOPTION_H
#define SPOOR_ADOPTION_H

#include <stdbool.h>

/*
 * spoor_adopt_modules - registers every loaded module that has a stub and did not
 * find spoor_dso_register.
 * @dormant: applies no choice to these modules yet (spoor_registry_add_dormant)
 *
 * Context: as spoor_dso_register; not under the registry's lock, because the dynamic
 * loader's lock is taken first.
 */
void spoor_adopt_modules(bool dormant);

/* Tells if the program is still starting: its executable has a stub whose constructor has not run yet. */
bool spoor_executable_is_to_begin(void);

/*
 * spoor_adopt_modules_to_begin - registers modules whose constructors have not run yet.
 *
 * Other modules' constructors may already call their functions: C++ keeps one copy of an
 * inline function in a process, in any module. Returns early if no module was loaded since
 * the last call.
 *
 * Context: as above.
 */
void spoor_adopt_modules_to_begin(void);

#endif
