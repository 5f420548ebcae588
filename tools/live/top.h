/* SPDX-License-Identifier: MIT */
/* top.h - what the functions of a running process did in the last interval. */
#ifndef SPOOR_TOOLS_TOP_H
#define SPOOR_TOOLS_TOP_H

#include "live/follow.h"
#include "walk/table/table.h"

struct top {
	pid_t process_id;
	struct follow follow;
	struct symbol_cache symbols;
	struct report_look look;
	char *patterns;		/* functions; null: all */
	char folder[PATH_MAX];		/* in the trace, as the process calls it */
	char mode[16];
	pid_t recorder;			/* 0: a thread of its own writes the trace */
	uint64_t since_ns;		/* when the interval began */
	uint64_t lost;			/* until then */
	bool has_ended;			/* the process has, and all of it was told */
};

/*
 * top_open - finds the trace that the process writes. @top: zeroed, but for who and what.
 *
 * Return: 0 or an exit status, which has been said.
 */
int top_open(struct top *top);
void top_close(struct top *top);

/* top_awaits_recorder - whether the process has ended, and its recorder has not yet written all that it left. */
bool top_awaits_recorder(const struct top *top);

/*
 * top_look - writes what was since the last look: two lines about the process, an empty one and the
 * table. The first look begins the first interval, and writes nothing.
 *
 * Return: 0 or a negative errno.
 */
int top_look(struct top *top, struct output *out);

#endif
