/* SPDX-License-Identifier: MIT */
/* replay.h - the two other orders in which spoor replay shows calls: by time and by duration. */
#ifndef SPOOR_TOOLS_REPLAY_H
#define SPOOR_TOOLS_REPLAY_H

#include "walk/lines/call_lines.h"

/* Show all threads by time, or only the slowest calls. Return an enum spoor_exit. */
int replay_merged(struct replay *replay);
int replay_slowest(struct replay *replay);

#endif
