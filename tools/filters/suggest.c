/* SPDX-License-Identifier: MIT */
/*
 * suggest.c - spoor filters --suggest: writes rules that exclude functions whose recording costs more
 * than it shows.
 *
 * A rule is suggested if the average self time of a function is small beside the cost of its two
 * events. The cost was measured when recording began. A trace without this measurement has an upper
 * bound: no call can seem shorter than one event takes, so the shortest call is used.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/filters_command.h"
#include "base/message.h"
#include "reader/symbols/symbol_file.h"
#include "reader/symbols/unit_symbols.h"

/* A function is suggested if its average self time is at most that many events. */
#define EVENTS_WORTH 10
/* A function with less than this part of all calls is not worth a rule. */
#define SHARE_LEAST 1000

struct suggestion {
	struct filters_command *command;
	struct totals totals;
	uint64_t calls;		/* of all functions */
	uint64_t event_ns;	/* 0: unknown */
	const char **names;	/* linkage names of all called functions,
	sorted; duplicates if several files have one */
	size_t name_count;
};

struct candidate {
	const struct report_row *row;
	const char *linkage;
	uint32_t instructions;	/* 0: unknown */
	const Spoor__FunctionInfo *info;	/* NULL: unknown */
};

/* Orders more calls first, then smaller functions. */
static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	uint64_t a_calls = filters_calls(a->row), b_calls = filters_calls(b->row);

	if (a_calls != b_calls)
		return a_calls > b_calls ? -1 : 1;
	if (a->instructions != b->instructions)
		return a->instructions < b->instructions ? -1 : 1;
	return strcmp(a->linkage, b->linkage);
}

static uint64_t own_ns(const struct report_row *row)
{
	return row->statistics.calls ? row->statistics.self_ns / row->statistics.calls : 0;
}

static bool is_worth_a_rule(const struct suggestion *suggestion, const struct report_row *row)
{
	uint64_t calls = filters_calls(row);

	/* Counted calls have no times, so only their number decides. */
	return calls > suggestion->calls / SHARE_LEAST && own_ns(row) <= EVENTS_WORTH * suggestion->event_ns;
}

/* Writes a text as a regular expression that matches it, for a literal string in TOML. */
static void put_literally(struct output *out, const char *text)
{
	for (; *text; text++) {
		if (strchr(".[]\\()*+?{}|^$", *text))
			output_char(out, '\\');
		output_char(out, *text);
	}
}

/* Writes the condition for the source file. */
static void put_source(struct output *out, const Spoor__FunctionInfo *info)
{
	const char *file = unit_symbol_text(info->file_name), *directory = unit_symbol_text(info->directory);

	output_string(out, "source_file_path = '");
	if (*file != '/' && *directory) {
		put_literally(out, directory);
		if (*file)
			output_char(out, '/');
	}
	put_literally(out, file);
	output_string(out, "'\n");
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Tells if several called functions have this linkage name, so that a rule for one needs its file too. */
static bool is_ambiguous(const struct suggestion *suggestion, const char *name)
{
	const char **end = suggestion->names + suggestion->name_count;
	const char **found = bsearch(&name, suggestion->names, suggestion->name_count, sizeof(*found), compare_names);

	return found && ((found > suggestion->names && strcmp(found[-1], name) == 0) ||
			 (found + 1 < end && strcmp(found[1], name) == 0));
}

static void put_rule(struct suggestion *suggestion, const struct candidate *candidate)
{
	struct output *out = &suggestion->command->out;
	const struct report_row *row = candidate->row;
	uint64_t calls = filters_calls(row);
	char text[160];

	output_string(out, "\n# ");
	output_string(out, row->name);
	output_string(out, ", ");
	output_string(out, row->library);
	output_string(out, "\n# ");
	output_grouped(out, calls, 0);
	snprintf(text, sizeof(text), " calls, %.1f %% of all", 100.0 * (double)calls / (double)suggestion->calls);
	output_string(out, text);
	if (row->statistics.calls) {
		snprintf(text, sizeof(text), "; average self time %" PRIu64 " ns", own_ns(row));
		output_string(out, text);
	}
	if (candidate->instructions) {
		snprintf(text, sizeof(text), "; %" PRIu32 " IR instructions", candidate->instructions);
		output_string(out, text);
	}
	if (suggestion->event_ns) {
		snprintf(text, sizeof(text), "; saves about %.3f ms", (double)(2 * calls * suggestion->event_ns) / 1e6);
		output_string(out, text);
	}
	output_string(out, "\n[[block]]\nfunction_linkage_name = '");
	put_literally(out, candidate->linkage);
	output_string(out, "'\n");
	if (candidate->info && is_ambiguous(suggestion, candidate->linkage))
		put_source(out, candidate->info);
}

static void put_head(struct suggestion *suggestion, const struct candidate *list, size_t count)
{
	struct output *out = &suggestion->command->out;
	uint64_t calls = 0;
	char text[200];

	for (size_t i = 0; i < count; i++)
		calls += filters_calls(list[i].row);
	output_string(out, "# Functions whose recording costs more than it shows, those with most calls first.\n# ");
	output_grouped(out, calls, 0);
	output_string(out, " of ");
	output_grouped(out, suggestion->calls, 0);
	output_string(out, " calls");
	if (suggestion->event_ns) {
		snprintf(text, sizeof(text), "; about %.3f ms, at %" PRIu64 " ns an event, %s",
			 (double)(2 * calls * suggestion->event_ns) / 1e6, suggestion->event_ns,
			 suggestion->totals.measured_event_ps ? "as measured" : "the time of the shortest call");
		output_string(out, text);
	}
	output_string(out, ".\n");
}

static void measure_event(struct suggestion *suggestion)
{
	uint64_t measured_ps = suggestion->totals.measured_event_ps;

	for (size_t i = 0; i < suggestion->totals.table.row_count; i++) {
		const struct report_row *row = &suggestion->totals.table.rows[i];
		uint64_t min_ns = row->statistics.min_ns;

		suggestion->calls += filters_calls(row);
		if (row->statistics.calls && min_ns && (!suggestion->event_ns || min_ns < suggestion->event_ns))
			suggestion->event_ns = min_ns;
	}
	if (measured_ps)
		suggestion->event_ns = measured_ps < 1000 ? 1 : (measured_ps + 500) / 1000;
}

static void collect_names(struct suggestion *suggestion)
{
	for (size_t i = 0; i < suggestion->totals.table.row_count; i++) {
		const struct report_row *row = &suggestion->totals.table.rows[i];
		const char *linkage = row->symbols ? symbol_file_linkage(row->symbols, row->local) : NULL;

		if (linkage)
			suggestion->names[suggestion->name_count++] = linkage;
	}
	qsort(suggestion->names, suggestion->name_count, sizeof(*suggestion->names), compare_names);
}

/* Tells if a literal string in TOML can have the names. */
static bool can_be_quoted(const struct unit_symbol *symbol, const char *linkage)
{
	return !strchr(linkage, '\'') &&
	       (!symbol || (!strchr(unit_symbol_text(symbol->info->directory), '\'') &&
			    !strchr(unit_symbol_text(symbol->info->file_name), '\'')));
}

static size_t choose_candidates(const struct suggestion *suggestion, struct candidate *list)
{
	size_t count = 0;

	for (size_t i = 0; i < suggestion->totals.table.row_count; i++) {
		const struct report_row *row = &suggestion->totals.table.rows[i];
		const struct unit_symbol *symbol;
		const char *linkage;

		if (!row->symbols || !is_worth_a_rule(suggestion, row))
			continue;
		linkage = symbol_file_linkage(row->symbols, row->local);
		symbol = symbol_file_described(row->symbols, row->local);
		if (!linkage || !can_be_quoted(symbol, linkage))
			continue;
		list[count++] = (struct candidate){ row, linkage, symbol ? (uint32_t)symbol->info->ir_instruction_count : 0,
						    symbol ? symbol->info : NULL };
	}
	return count;
}

static void write_suggestions(void *context)
{
	struct suggestion *suggestion = context;
	size_t count, limit = suggestion->command->limit;
	struct candidate *list;

	list = malloc((suggestion->totals.table.row_count + 1) * sizeof(*list));
	suggestion->names = malloc((suggestion->totals.table.row_count + 1) * sizeof(*suggestion->names));
	if (!list || !suggestion->names) {
		message("out of memory for the functions");
		exit(SPOOR_EXIT_BAD_TRACE);
	}
	measure_event(suggestion);
	collect_names(suggestion);
	count = choose_candidates(suggestion, list);
	qsort(list, count, sizeof(*list), compare_candidates);
	if (count > limit)
		count = limit;
	put_head(suggestion, list, count);
	for (size_t i = 0; i < count; i++)
		put_rule(suggestion, &list[i]);
	free(suggestion->names);
	free(list);
}

int filters_suggest(struct filters_command *command)
{
	struct suggestion suggestion = { .command = command };
	int status = filters_walk(command, &suggestion.totals, write_suggestions, &suggestion);

	totals_free(&suggestion.totals);
	return status;
}
