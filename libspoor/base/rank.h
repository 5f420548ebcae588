/* SPDX-License-Identifier: MIT */
/* rank.h - which of the processes of one parallel job this is. */
#ifndef SPOOR_RANK_H
#define SPOOR_RANK_H

#include <stdint.h>

/* A number; "" where nobody has given one, or spoor_rank_session was not called. */
const char *spoor_rank(void);

/* Looks at what the job's starter has put in the environment.
 * Return: a session ID that all ranks of this job come to; 0 where there is no rank, or nobody
 * says which job it is. */
uint64_t spoor_rank_session(void);

#endif
