/* SPDX-License-Identifier: MIT */
/* rank.h - which of the processes of one parallel job this is. */
#ifndef SPOOR_RANK_H
#define SPOOR_RANK_H

/* Looks at what the job's starter has put in the environment. */
void spoor_rank_read(void);

/* A number; "" where nobody has given one. */
const char *spoor_rank(void);

#endif
