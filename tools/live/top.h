/* SPDX-License-Identifier: MIT */
/* top.h - samples what the functions of a running process did in the last interval. */
#ifndef SPOOR_TOOLS_TOP_H
#define SPOOR_TOOLS_TOP_H

#include "live/follow.h"
#include "walk/table/table.h"

struct top {
	pid_t process_id;
	struct follow follow;
	struct symbol_cache symbols;
	struct report_look look;
	char *patterns;		/* patterns of functions; null: all */
	char folder[PATH_MAX];		/* of the process in the trace, by the path that the process uses */
	char mode[16];
	pid_t recorder;			/* 0: a thread of the process writes the trace */
	uint64_t since_ns;		/* when the interval began */
	uint64_t lost;			/* lost events before the interval */
	bool has_ended;			/* the process has ended, and all its events were reported */
};

/*
 * top_open - finds the trace that the process writes. @top: zeroed, except for the process and the
 * settings.
 *
 * Returns 0, or an exit status after a message.
 */
int top_open(struct top *top);
void top_close(struct top *top);

/* top_awaits_recorder - returns whether the process has ended and its recorder has not written all its events yet. */
bool top_awaits_recorder(const struct top *top);

/*
 * top_look - writes the activity since the last look: two lines about the process, an empty line and
 * the table. The first look begins the first interval and writes nothing.
 *
 * Returns 0 or a negative errno.
 */
int top_look(struct top *top, struct output *out);

#endif
