/* SPDX-License-Identifier: MIT */
/* adoption.h - modules that do not register by themselves, or not in time. */
#ifndef SPOOR_ADOPTION_H
#define SPOOR_ADOPTION_H

#include <stdbool.h>

/*
 * spoor_adopt_modules - registers every loaded module that has a stub and did not
 * find spoor_dso_register.
 *
 * Context: as spoor_dso_register; not under the registry's lock, for the dynamic
 * loader's is taken first.
 */
void spoor_adopt_modules(void);

/* Whether the program starts: its executable has a stub, whose constructor is still to come. */
bool spoor_executable_is_to_begin(void);

/*
 * spoor_adopt_modules_to_begin - registers modules whose constructors are still to come,
 * for those of others may call their functions: C++ has one copy of an inline function in
 * a process, wherever that is. Looks no further where nothing was loaded since the last time.
 *
 * Context: as above.
 */
void spoor_adopt_modules_to_begin(void);

#endif
