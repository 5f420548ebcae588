/* SPDX-License-Identifier: MIT */
/* tracer_cost.h - what our own events cost in a process, and where that is most of the time. */
#ifndef SPOOR_TOOLS_INFO_TRACER_H
#define SPOOR_TOOLS_INFO_TRACER_H

#include "reader/files/process.h"

/* Says nothing where the process did not measure it. Return: 0 or a negative errno. */
int info_tracer(struct process *process);

#endif
