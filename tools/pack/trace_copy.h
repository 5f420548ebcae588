/* SPDX-License-Identifier: MIT */
/* trace_copy.h - the files of a trace, in another place. */
#ifndef SPOOR_TOOLS_TRACE_COPY_H
#define SPOOR_TOOLS_TRACE_COPY_H

#include "reader/files/trace_reader.h"

/*
 * trace_copy - copies the processes of @trace into the empty directory @path, as they are now.
 *
 * Holes stay holes: a pool has many. Files are their owner's alone.
 *
 * Return: 0, or a negative errno, which has been said.
 */
int trace_copy(const struct trace *trace, const char *path);

#endif
