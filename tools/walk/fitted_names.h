/* SPDX-License-Identifier: MIT */
/*
 * fitted_names.h - shortens the names of functions and libraries so that lines fit the terminal.
 *
 * First the library disappears, unless another library has a function of the same name; then names lose
 * their middle. Different names stay different: those that would look alike have a number in the gap.
 */
#ifndef SPOOR_TOOLS_WALK_FITTED_NAMES_H
#define SPOOR_TOOLS_WALK_FITTED_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/elided.h"
#include "base/name_table.h"
#include "reader/files/map64.h"

#define FITTED_NAME_LEAST 16u	/* room that a name should have */

struct fitted_names {
	const struct name_table *names;
	size_t room;		/* for name and library; 0: no limit */
	struct map64 same;	/* by name's hash: number of libraries that have a function of this name */
	struct map64 elided;	/* by hash of a name without its middle: number of names that look like this */
	struct map64 number;	/* by this hash and the name: its number among them */
};

void fitted_names_begin(struct fitted_names *fitted, const struct name_table *names, size_t room);
void fitted_names_end(struct fitted_names *fitted);

/*
 * fitted_name - returns the text of a function's name.
 * @name: number in the table
 * @used: characters of the room that come before the name
 * @library_shown: the reader knows the library already, from a line above
 * @text: holds the text if it was shortened
 * @has_library: set to whether "  (library)" has room after it
 */
const char *fitted_name(struct fitted_names *fitted, uint32_t name, size_t used, bool library_shown,
			char text[ELIDED_MAX + 1], bool *has_library);

#endif
