/* SPDX-License-Identifier: MIT */
/* check_libraries.h - checks the libraries with which a program is linked, as the dynamic loader finds them. */
#ifndef SPOOR_TOOLS_DOCTOR_CHECK_LIBRARIES_H
#define SPOOR_TOOLS_DOCTOR_CHECK_LIBRARIES_H

#include <stdbool.h>

/*
 * doctor_libraries - lets the loader list the libraries, with libspoor.so preloaded, and checks each.
 * @loader: the loader of this system; neither the loader that the program names nor the program is run
 * @recorded: set to true if one of the libraries can be recorded
 *
 * Returns whether the libraries could be listed.
 */
bool doctor_libraries(const char *loader, const char *program, bool *recorded);

#endif
