/* SPDX-License-Identifier: MIT */
/* replay.h - the ways in which replay shows calls, besides thread by thread. */
#ifndef SPOOR_TOOLS_REPLAY_H
#define SPOOR_TOOLS_REPLAY_H

#include "walk/lines/call_lines.h"

/* All threads by time, and the slowest calls alone. Return: an enum spoor_exit. */
int replay_merged(struct replay *replay);
int replay_slowest(struct replay *replay);

#endif
