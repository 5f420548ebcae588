/* SPDX-License-Identifier: MIT */
/* link_arguments.h - adds the stub and the runtime to a command that links. */
#ifndef SPOOR_DRIVER_LINK_ARGUMENTS_H
#define SPOOR_DRIVER_LINK_ARGUMENTS_H

#include "driver/command.h"
#include "driver/plan.h"

/* The machine that the command line compiles for, as far as there is a stub for it. */
enum target { TARGET_OURS, TARGET_OTHER, TARGET_UNKNOWN };
enum target find_target(const struct driver_plan *plan);

/* Adds the stub and the runtime, if the command links code that is to have them. */
void add_link_arguments(struct command *command, const struct driver_plan *plan);

/*
 * add_run_path - adds the folder of libspoor.so to the program's run path, at the end: the user's folders come first,
 * so that other libraries in our folder do not replace the user's.
 */
void add_run_path(struct command *command, const struct driver_plan *plan);

#endif
