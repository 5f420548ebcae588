/* SPDX-License-Identifier: MIT */
/* forked_children.h - what an attached process has forked. */
#ifndef SPOOR_TOOLS_ATTACH_FORKED_CHILDREN_H
#define SPOOR_TOOLS_ATTACH_FORKED_CHILDREN_H

#include <sys/types.h>

/*
 * attach_children_end - ends the tracing of the processes that @pid has forked while it was
 * attached, and theirs: those that descend from it, and those that have a folder in the trace.
 *
 * Context: after attach_end of the process itself, when no more can come.
 */
void attach_children_end(pid_t pid, const char *trace_path);

#endif
