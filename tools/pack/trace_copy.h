/* SPDX-License-Identifier: MIT */
/* trace_copy.h - copies the files of a trace to another directory. */
#ifndef SPOOR_TOOLS_TRACE_COPY_H
#define SPOOR_TOOLS_TRACE_COPY_H

#include "reader/files/trace_reader.h"

/*
 * trace_copy - copies the processes of @trace to the empty directory @path, in their present state.
 *
 * Holes of files stay holes: a pool has many. Only the owner can read the copies.
 *
 * Returns 0, or a negative errno after a message.
 */
int trace_copy(const struct trace *trace, const char *path);

#endif
