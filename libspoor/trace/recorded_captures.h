/* SPDX-License-Identifier: MIT */
/* recorded_captures.h - writes to the process file which functions' arguments and results are stored. */
#ifndef SPOOR_RECORDED_CAPTURES_H
#define SPOOR_RECORDED_CAPTURES_H

#include "module/registry.h"

/* Writes the module's blocks SPOOR_BLOCK_CAPTURE (values_format.h). Under the registry's lock. */
void spoor_trace_captures(const struct spoor_instance *instance);

#endif
