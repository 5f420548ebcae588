/* SPDX-License-Identifier: MIT */
/* check_libraries.h - the libraries that a program is linked with, as the dynamic loader finds them. */
#ifndef SPOOR_TOOLS_DOCTOR_LIBRARIES_H
#define SPOOR_TOOLS_DOCTOR_LIBRARIES_H

#include <stdbool.h>

/*
 * doctor_libraries - has the loader list them, with libspoor.so in front, and looks at each.
 * @loader: this system's own: what the program names is not run, nor is the program
 * @recorded: set where one of them can be recorded
 *
 * Return: whether they could be listed.
 */
bool doctor_libraries(const char *loader, const char *program, bool *recorded);

#endif
