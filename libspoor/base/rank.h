/* SPDX-License-Identifier: MIT */
/* rank.h - finds which process of a parallel job this is. */
#ifndef SPOOR_RANK_H
#define SPOOR_RANK_H

#include <stdint.h>

/* Returns the rank as decimal digits; "" if there is none, or before spoor_rank_session was called. */
const char *spoor_rank(void);

/* Reads the environment. Returns a session ID that is the same in all ranks of the job; 0 if there is no rank
 * or no variable that identifies the job. */
uint64_t spoor_rank_session(void);

#endif
