/* SPDX-License-Identifier: MIT */
/* why_empty.h - what is said where nothing was recorded. */
#ifndef SPOOR_TOOLS_RECORD_NOTHING_H
#define SPOOR_TOOLS_RECORD_NOTHING_H

#include "record/record.h"

/* One message. @name is the program's, which has ended, or that of the process that was attached to. */
void explain_empty_recording(const struct record *record, const char *name);

#endif
