/* SPDX-License-Identifier: MIT */
/* wanted_functions.h - finds which patterns of the command line match a function of a module's file. */
#ifndef SPOOR_TOOLS_RECORD_WANTED_FUNCTIONS_H
#define SPOOR_TOOLS_RECORD_WANTED_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/similar.h"
#include "record/choice/program_modules.h"

/* A pattern of an option, and the functions that match it so far. */
struct wanted_function {
	const char *option;	/* "--function" */
	const char *begin, *end;	/* the pattern */
	bool with_libraries;	/* a library function is met, too: its calls are recorded */
	bool is_met;		/* a traced function matches, or such a library function */
	char untraced[256];	/* a function without sleds that matches; "": none */
	char untraced_module[128];
	struct similar similar;	/* among the traced functions */
};

/*
 * wanted_functions_look_up - compares all names in the file of a module with the patterns that match nothing yet.
 * @only_wrappers: compares only the names of library functions that the module calls through call slots
 *
 * Returns false if the file has no names: its functions cannot be chosen.
 */
bool wanted_functions_look_up(const struct program_module *module, struct wanted_function *wanted, size_t count,
			      bool only_wrappers);

/* The same for the functions of a library whose calls are recorded, and the patterns that choose them. */
bool wanted_functions_look_up_library(const struct program_module *module, struct wanted_function *wanted, size_t count);

#endif
