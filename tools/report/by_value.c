/* SPDX-License-Identifier: MIT */
/*
 * by_value.c - adds up the calls of functions by the value of an argument or of the result.
 *
 * A row is a value, or with --callers the function that called. The time of a call includes its callees, and a
 * recursive call adds its time again.
 */
#include "report/by_value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "reader/types/shown_values.h"
#include "report/value_rows.h"
#include "walk/pattern_options.h"

struct by_value {
	struct value_rows rows;
	char *patterns;			/* of the functions */
	const char *name;		/* of the value */
	bool by_caller;
	struct functions *functions;
	uint8_t *matches;		/* by function number: 0: unknown, 1: no, 2: yes */
	uint32_t match_count;
	uint32_t *open;			/* functions of the open calls, outermost first */
	size_t open_room;
	uint64_t matched_calls;		/* calls of the functions, with the value or without it */
	bool is_whole;
};

static void no_memory(void)
{
	message("out of memory for the report");
	exit(SPOOR_EXIT_BAD_TRACE);
}

int report_by_value_check(const char *by)
{
	const char *dot = strrchr(by, '.');
	char *patterns;
	int status;

	if (!dot || dot == by || !dot[1])
		return message_usage("--by: '%s' is not FUNCTION.VALUE: use the name of an argument, or result, such as 'read.fd'", by);
	patterns = strndup(by, (size_t)(dot - by));
	if (!patterns)
		no_memory();
	status = pattern_options_check(patterns);
	free(patterns);
	return status;
}

static bool is_wanted(struct by_value *by, uint32_t function)
{
	if (function >= by->match_count) {
		uint32_t count = 2 * function + 64;
		uint8_t *larger = realloc(by->matches, count);

		if (!larger)
			no_memory();
		memset(larger + by->match_count, 0, count - by->match_count);
		by->matches = larger;
		by->match_count = count;
	}
	if (!by->matches[function])
		by->matches[function] = function_matches(by->functions, function, by->patterns) ? 2 : 1;
	return by->matches[function] == 2;
}

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	struct by_value *by = context;

	(void)process;
	by->functions = functions;
	/* Another process has other numbers. */
	if (by->matches)
		memset(by->matches, 0, by->match_count);
	return 0;
}

static int trace_end(void *context)
{
	struct by_value *by = context;

	by->is_whole = true;
	return 0;
}

static void enter(void *context, const struct call *call, size_t depth)
{
	struct by_value *by = context;

	if (depth >= by->open_room) {
		size_t room = 2 * depth + 64;
		uint32_t *larger = reallocarray(by->open, room, sizeof(*larger));

		if (!larger)
			no_memory();
		by->open = larger;
		by->open_room = room;
	}
	by->open[depth] = call->function;
}

/* Finds the value among the arguments or in the result. */
static bool find_value(const struct by_value *by, const struct call_values *values, struct shown_value *value)
{
	struct shown_values shown;

	if (!values)
		return false;
	shown_values_begin(&shown, values);
	while (shown_values_next(&shown, value))
		if (strcmp(value->name, by->name) == 0)
			return true;
	return false;
}

static void leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct by_value *by = context;
	struct shown_value value;
	const char *row;

	/* A call that was open before, and one piece of a call on several stacks, are no calls. */
	if (call->root || how == CALL_SET_ASIDE || !is_wanted(by, call->function))
		return;
	by->matched_calls++;
	if (!find_value(by, call->arguments, &value) && !find_value(by, call->result, &value))
		return;
	row = !by->by_caller ? value.text : depth ? function_short_name(by->functions, by->open[depth - 1]) : "(no caller)";
	if (value_rows_add(&by->rows, row, &value, call_duration(call, end_ns)))
		no_memory();
}

static void end(struct by_value *by)
{
	value_rows_free(&by->rows);
	free(by->patterns);
	free(by->matches);
	free(by->open);
}

int report_by_value(struct report_request *request, struct output *out)
{
	const char *dot = strrchr(request->by, '.');
	struct by_value by = { .name = dot + 1, .by_caller = request->by_caller };
	struct walk_sink sink = {
		.context = &by, .process_begin = process_begin, .trace_end = trace_end,
		.calls = { .context = &by, .enter = enter, .leave = leave },
	};
	int status;

	by.patterns = strndup(request->by, (size_t)(dot - request->by));
	if (!by.patterns)
		no_memory();
	status = walk_trace(&request->choice, &sink);
	if (by.is_whole) {
		if (!by.matched_calls && !request->choice.condition)
			message("--by: no call of a function matches '%s'", by.patterns);
		if (by.matched_calls && !by.rows.count)
			message("--by: no call of '%s' has the value '%s': record it with --args or --retval", by.patterns, by.name);
		value_rows_write(&by.rows, &request->look, by.name, by.by_caller, out);
	}
	end(&by);
	return status;
}
