/* SPDX-License-Identifier: MIT */
/* walk_choice.c - the options of all commands that walk over a trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/time_text.h"
#include "reader/sched/sched_file.h"
#include "reader/symbols/symbol_short_names.h"
#include "walk/pattern_options.h"
#include "walk/walk.h"

void walk_choice_begin(struct walk_choice *choice)
{
	*choice = (struct walk_choice){ .trace_path = TRACE_DEFAULT_PATH, .demangle = true };
}

void walk_choice_end(struct walk_choice *choice)
{
	free(choice->processes);
	free(choice->threads);
	free(choice->libraries);
	free(choice->functions);
	condition_free(choice->condition);
	unit_symbols_free(&choice->described);
}

static int add_id(int64_t **ids, size_t *count, const char *what, const char *argument)
{
	int64_t *more, id;
	char *end;

	errno = 0;
	id = strtoll(argument, &end, 10);
	if (errno || end == argument || *end || id <= 0)
		return message_usage("'%s' is not a %s ID: 'spoor info' lists them", argument, what);
	more = reallocarray(*ids, *count + 1, sizeof(**ids));
	if (!more)
		return message_usage("out of memory for the options");
	*ids = more;
	more[(*count)++] = id;
	return 0;
}

static int add_symbols(struct walk_choice *choice, const char *argument)
{
	const char *path, *wrong;

	if (message_take_name("--symbols", argument, &path))
		return SPOOR_EXIT_USAGE;
	wrong = unit_symbols_add_file(&choice->described, path);
	unit_symbols_sort(&choice->described);
	return wrong ? message_usage("--symbols: %s: %s", path, wrong) : 0;
}

static int set_range(struct walk_choice *choice, const char *argument)
{
	int error = time_text_range(argument, &choice->range.begin_ns, &choice->range.end_ns);

	if (error == -ERANGE)
		return message_usage("--time: '%s' is empty: its end is not after its beginning", argument);
	if (error)
		return message_usage("--time: '%s' is not a range: use a range such as '1.5s..1600ms', '20us..' or "
				     "'..3s'", argument);
	choice->has_range = true;
	return 0;
}

static int set_condition(struct walk_choice *choice, const char *argument)
{
	size_t at;
	const char *wrong;

	condition_free(choice->condition);
	wrong = condition_parse(argument, &choice->condition, &at);
	if (wrong)
		return message_usage("--where: '%s' is not a condition: %s, before '%s'", argument, wrong, argument + at);
	return 0;
}

int walk_choice_option(struct walk_choice *choice, int option, const char *argument)
{
	if (symbol_option_is(option))
		return symbol_option_take(option, argument);
	switch (option) {
	case WALK_PROCESS:
		return add_id(&choice->processes, &choice->process_count, "process", argument);
	case WALK_THREAD:
		return add_id(&choice->threads, &choice->thread_count, "thread", argument);
	case WALK_TIME:
		return set_range(choice, argument);
	case 'f':
		return pattern_options_add(&choice->functions, argument);
	case 'm':
	case WALK_LIBRARY:
		return pattern_options_add(&choice->libraries, argument);
	case WALK_LEAST:
		if (time_text_parse(argument, &choice->least_ns))
			return message_usage("--min-duration: '%s' is not a time: use a number with ns, us, ms or s, "
					     "such as '20us'", argument);
		return 0;
	case WALK_WHERE:
		return set_condition(choice, argument);
	case WALK_FULL_NAMES:
		symbol_short_names_turn_off();
		return 0;
	case WALK_NO_DEMANGLE:
		choice->demangle = false;
		return 0;
	case WALK_SYMBOLS:
		return add_symbols(choice, argument);
	default:	/* getopt has printed the error */
		return message_usage(NULL);
	}
}

int walk_choice_needs_order(const struct walk_choice *choice)
{
	if (choice->condition && condition_uses_result(choice->condition))
		return message_usage("--where: a result is known when the call has ended, and this output begins with the begin "
				     "of a call: use a condition on arguments, or spoor replay or report");
	return 0;
}

int walk_choice_arguments(struct walk_choice *choice, int count, char **arguments)
{
	if (count) {
		choice->trace_path = arguments[0];
		choice->trace_paths = (const char *const *)arguments;
		choice->trace_count = (size_t)count;
	}
	return 0;
}

bool walk_choice_has_sched(const struct walk_choice *choice)
{
	bool has = false;

	for (size_t i = 0; i < choice->trace_count; i++)
		has |= sched_file_exists(choice->trace_paths[i]);
	return choice->trace_paths ? has : sched_file_exists(choice->trace_path);
}
