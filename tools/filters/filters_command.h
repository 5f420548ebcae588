/* SPDX-License-Identifier: MIT */
/* filters_command.h - the options and the two tasks of spoor filters. */
#ifndef SPOOR_TOOLS_FILTERS_COMMAND_H
#define SPOOR_TOOLS_FILTERS_COMMAND_H

#include "base/output.h"
#include "walk/totals.h"

struct filters_command {
	struct output out;
	const char *output_path;	/* NULL: stdout */
	const char *rules_path;		/* --explain; NULL: --suggest */
	char **symbol_paths;
	int symbol_path_count;
	const char *trace_path;		/* NULL: not given */
	size_t limit;			/* rules to suggest */
	bool csv;
};

/*
 * filters_walk - adds up a trace into @totals, then calls @done while the trace's names exist.
 *
 * Returns an enum spoor_exit.
 */
int filters_walk(const struct filters_command *command, struct totals *totals, void (*done)(void *context),
		 void *context);

/* Returns the calls of a row, in all modes of recording. */
uint64_t filters_calls(const struct report_row *row);

/* Writes each function with the rule that decides, then each rule and its effect. Returns an enum spoor_exit. */
int filters_explain(struct filters_command *command);

/* Writes rules for functions whose recording costs more than it shows. Returns an enum spoor_exit. */
int filters_suggest(struct filters_command *command);

#endif
