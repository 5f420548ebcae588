/* SPDX-License-Identifier: MIT */
/* forked_children.h - ends the recording in the forked children of an attached process. */
#ifndef SPOOR_TOOLS_ATTACH_FORKED_CHILDREN_H
#define SPOOR_TOOLS_ATTACH_FORKED_CHILDREN_H

#include <sys/types.h>

/*
 * attach_children_end - ends the recording in processes that @pid forked while it was attached, and in their
 * children: all descendants, and all processes with a folder in the trace.
 *
 * Context: after attach_end of @pid, when no new children can inherit awake functions.
 */
void attach_children_end(pid_t pid, const char *trace_path);

#endif
