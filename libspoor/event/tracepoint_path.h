/* SPDX-License-Identifier: MIT */
/* tracepoint_path.h - the functions that enabled tracepoints of spoor/sdt.h call. */
#ifndef SPOOR_TRACEPOINT_PATH_H
#define SPOOR_TRACEPOINT_PATH_H

#include <stdint.h>

#include "spoor/sdt.h"

/* Context: anywhere, signal handlers included. */
spoor_sdt_recorder spoor_tracepoint_record;
spoor_sdt_many_recorder spoor_tracepoint_record_many;

#endif
