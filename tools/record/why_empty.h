/* SPDX-License-Identifier: MIT */
/* why_empty.h - spoor record: explains why a recording has no events. */
#ifndef SPOOR_TOOLS_RECORD_WHY_EMPTY_H
#define SPOOR_TOOLS_RECORD_WHY_EMPTY_H

#include "record/record.h"

/* Prints one message. @name: of the ended program, or of the process with --pid. */
void explain_empty_recording(const struct record *record, const char *name);

#endif
