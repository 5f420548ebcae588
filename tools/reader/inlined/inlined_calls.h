/* SPDX-License-Identifier: MIT */
/* inlined_calls.h - adds inlined calls, for the code that reads debug information. */
#ifndef SPOOR_READER_INLINED_CALLS_H
#define SPOOR_READER_INLINED_CALLS_H

#include "reader/inlined/inlined.h"

/* Copies the texts. @caller, @file: may be null. Returns false if memory runs out. */
bool inlined_put(struct inlined *inlined, const char *linkage, const char *caller, const char *file, uint32_t line);

#endif
