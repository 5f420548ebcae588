/* SPDX-License-Identifier: MIT */
/*
 * named_things.h - what the program calls things: types of its events, strings, tracepoints.
 *
 * They may come before there is a trace, and a forked child has a trace of its
 * own: all are kept, and written into every trace that is begun.
 */
#ifndef SPOOR_NAMES_H
#define SPOOR_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#define SPOOR_NAME_BYTES_MAX 4095u

/*
 * spoor_names_keep - one copy of @text for good; equal ones are one.
 * @is_string: it is to be in the trace, as the string with this ID
 *
 * The ID depends on the text alone, but for a clash of hashes, and is never 0.
 *
 * Return: 0, -EINVAL where it is longer than SPOOR_NAME_BYTES_MAX, or -ENOMEM.
 *
 * Context: under the registry's lock.
 */
int spoor_names_keep(const char *text, bool is_string, uint64_t *id, const char **kept);

/* spoor_names_event_type - names a type of events, or renames it. Return and context: as above. */
int spoor_names_event_type(uint32_t type, uint32_t payload_1, const char *name);

/*
 * spoor_names_tracepoint - the number of a tracepoint that is on, which it keeps for good.
 * @name, @path: of spoor_names_keep; path is its module's
 *
 * Return: the number, new or not; 0 where there is none to be had. Context: as above.
 */
uint32_t spoor_names_tracepoint(const char *name, const char *path);

/* Writes all into a trace that was just begun. Under the registry's lock. */
void spoor_names_write(void);

#endif
