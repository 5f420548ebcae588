/* SPDX-License-Identifier: MIT */
/* report.h - the options of spoor report. */
#ifndef SPOOR_TOOLS_REPORT_H
#define SPOOR_TOOLS_REPORT_H

#include "report/diff.h"
#include "walk/totals.h"

struct report_request {
	struct walk_choice choice;
	struct report_look look;
	bool has_columns;		/* --columns */
	bool compensates;		/* --compensate */
	uint64_t given_event_ps;	/* the cost of an event in picoseconds; 0: use the trace's measurement */
	const char *by;			/* --by: a function and a value; null: none */
	bool by_caller;			/* --callers */
	bool has_syscalls;		/* --syscalls: rows of system calls instead */
	bool no_pager;
	bool is_diff;
	const char *paths[2];		/* with --diff: the traces before and after */
	struct report_threshold threshold;
};

/*
 * Parses the command line. Returns 0, or SPOOR_EXIT_USAGE after a message. In both cases the caller
 * ends @request.
 */
int report_request_parse(struct report_request *request, int argc, char **argv);
void report_request_end(struct report_request *request);

#endif
