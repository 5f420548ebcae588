/* SPDX-License-Identifier: MIT */
/* report.h - what spoor report is asked for. */
#ifndef SPOOR_TOOLS_REPORT_H
#define SPOOR_TOOLS_REPORT_H

#include "report/diff.h"
#include "walk/totals.h"

struct report_request {
	struct walk_choice choice;
	struct report_look look;
	char *patterns;
	bool compensates;
	uint64_t given_event_ps;
	bool is_diff;
	const char *paths[2];		/* of the two that are compared */
	struct report_threshold threshold;
};

/* Return: 0, or SPOOR_EXIT_USAGE, which has been said. @request is to be ended in each case. */
int report_request_parse(struct report_request *request, int argc, char **argv);
void report_request_end(struct report_request *request);

#endif
