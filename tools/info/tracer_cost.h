/* SPDX-License-Identifier: MIT */
/* tracer_cost.h - finds the functions for which recording takes more time than the function. */
#ifndef SPOOR_TOOLS_INFO_TRACER_COST_H
#define SPOOR_TOOLS_INFO_TRACER_COST_H

#include "reader/files/process.h"

/*
 * Prints the cost of an event, and these functions; nothing if the process did not measure the cost.
 * Returns 0, or a negative errno.
 */
int info_print_tracer(struct process *process);

#endif
