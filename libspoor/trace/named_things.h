/* SPDX-License-Identifier: MIT */
/*
 * named_things.h - stores the names that the program gives: types of its events, strings, tracepoints.
 *
 * The program may name things before there is a trace, and a forked child has a separate
 * trace. So all names are stored, and written into every new trace.
 */
#ifndef SPOOR_NAMED_THINGS_H
#define SPOOR_NAMED_THINGS_H

#include <stdbool.h>
#include <stdint.h>

#define SPOOR_NAME_BYTES_MAX 4095u

/*
 * spoor_names_keep - stores one copy of @text, which is never freed. Equal texts share a copy.
 * @is_string: also writes the text to the trace, as the string with this ID
 * @id:        set to the ID; may be null
 * @kept:      set to the copy; may be null
 *
 * The ID depends only on the text, unless hashes clash, and is never 0.
 *
 * Returns 0, -EINVAL if the text is longer than SPOOR_NAME_BYTES_MAX, or -ENOMEM.
 *
 * Context: under the registry's lock.
 */
int spoor_names_keep(const char *text, bool is_string, uint64_t *id, const char **kept);

/* spoor_names_event_type - sets the name of a type of events. Return and context: as above. */
int spoor_names_event_type(uint32_t type, uint32_t payload_1, const char *name);

/*
 * spoor_names_tracepoint - returns the number of a tracepoint that is on. The number never changes.
 * @name, @path: from spoor_names_keep; @path is the module's path
 *
 * Returns the number, new or old, or 0 if there is no number or memory left. Context: as above.
 */
uint32_t spoor_names_tracepoint(const char *name, const char *path);

/* Writes all names to a new trace. Under the registry's lock. */
void spoor_names_write(void);

#endif
