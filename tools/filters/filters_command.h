/* SPDX-License-Identifier: MIT */
/* filters_command.h - the two jobs of spoor filters. */
#ifndef SPOOR_TOOLS_FILTERS_COMMAND_H
#define SPOOR_TOOLS_FILTERS_COMMAND_H

#include "base/output.h"
#include "walk/totals.h"

struct filters_command {
	struct output out;
	const char *output_path;
	const char *rules_path;		/* of those to explain */
	char **symbol_paths;
	int symbol_path_count;
	const char *trace_path;		/* null: none was given */
	size_t limit;			/* of rules that are suggested */
	bool csv;
};

/*
 * filters_walk - the totals of the trace, then @done, while its names are still there.
 *
 * Return: an enum spoor_exit.
 */
int filters_walk(const struct filters_command *command, struct totals *totals, void (*done)(void *context),
		 void *context);

/* What was called, of a row: in each mode of recording. */
uint64_t filters_calls(const struct report_row *row);

/* Each function and the rule that decides, then each rule and what it removes. Return: an enum spoor_exit. */
int filters_explain(struct filters_command *command);

/* Rules for what in a trace costs more than it tells. Return: an enum spoor_exit. */
int filters_suggest(struct filters_command *command);

#endif
