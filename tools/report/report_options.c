/* SPDX-License-Identifier: MIT */
/* report_options.c - parses the command line of spoor report. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/number_text.h"
#include "base/terminal.h"
#include "report/by_value.h"
#include "report/system_call_rows.h"

static const char help[] =
	"Usage: spoor report [OPTION]... [TRACE]...\n"
	"       spoor report --diff [OPTION]... BEFORE AFTER\n"
	"Show the calls and times of each function in traces (default: " TRACE_DEFAULT_PATH "),\n"
	"or what became slower between two traces.\n"
	"\n"
	"  -s, --sort COLUMN     sort by total (default), self, calls, or any other column\n"
	"  -g, --group COLUMN    show one row for each function (default), library, file,\n"
	"                        thread or process\n"
	"      --columns LIST    show these columns: function, library, calls, total, self,\n"
	"                        percent, avg, min, max, stddev, p50, p99, file, line, process,\n"
	"                        thread, thread-name, process-name, cpu, wait, preempted, faults,\n"
	"                        self-cpu, self-wait (if the trace says when threads ran), or\n"
	"                        'all'; a '+' before the list adds the columns to the usual ones\n"
	"      --by FUNCTION.VALUE\n"
	"                        show one row for each value of this argument, or of the result,\n"
	"                        of these functions, such as read.fd\n"
	"      --callers         with --by: show one row for each calling function, and the sum of\n"
	"                        the values, such as the bytes of malloc.size\n"
	"      --syscalls        show one row for each system call that threads made, if the trace\n"
	"                        has them; with --group also for each thread or process\n"
	"  -n, --limit N         show at most N rows\n"
	"      --histogram       show a histogram of the durations below each row; with --by: of\n"
	"                        the values, if they are numbers\n"
	"      --compensate[=TIME]\n"
	"                        subtract the cost of recording: the cost of an event that the\n"
	"                        trace contains, or TIME for each event, such as '12.5ns'\n"
	"      --format FORMAT   text (default); csv: nanoseconds, RFC 4180; json\n"
	"      --diff            compare two traces: the function that slowed down most comes\n"
	"                        first, by --sort (default: self)\n"
	"      --threshold LEAST with --diff: hide changes below LEAST, such as '5%', '10us', or\n"
	"                        a number of calls\n"
	"      --no-pager        on a terminal: do not start $SPOOR_PAGER, $PAGER or less\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 for a damaged or unreadable trace, and 2 for a\n"
	"wrong command line. spoor-report(1) explains the columns.\n";

static int parse_sort(const char *argument, enum report_column *sort)
{
	char columns[256] = "";

	*sort = report_column_find(argument, strlen(argument));
	if (*sort < COLUMN_COUNT)
		return 0;
	for (size_t i = 0, length = 0; i < COLUMN_COUNT && length < sizeof(columns); i++)
		length += (size_t)snprintf(columns + length, sizeof(columns) - length, "%s%s", i ? ", " : "",
					   report_column_facts[i].key);
	return message_usage("cannot sort by '%s': use %s", argument, columns);
}

static int parse_group(const char *argument, enum report_group *group)
{
	for (*group = 0; *group < GROUP_COUNT; (*group)++)
		if (strcmp(argument, report_group_keys[*group]) == 0)
			return 0;
	return message_usage("unknown group '%s': use function, library, file, thread or process", argument);
}

static int parse_format(const char *argument, enum report_format *format)
{
	static const char *const formats[] = { [REPORT_TEXT] = "text", [REPORT_CSV] = "csv", [REPORT_JSON] = "json" };

	for (*format = REPORT_TEXT; *format <= REPORT_JSON; (*format)++)
		if (strcmp(argument, formats[*format]) == 0)
			return 0;
	return message_usage("unknown format '%s': use text, csv or json", argument);
}

static int parse_limit(const char *argument, size_t *limit)
{
	if (!number_text_count(argument, 0, SIZE_MAX, limit))
		return message_usage("--limit: '%s' is not a number of rows: use a number such as 20 or 1k", argument);
	return 0;
}

/* Parses a number >= 0. @unit is set to the text after the number. */
static bool parse_number(const char *argument, double *number, const char **unit)
{
	char *end;

	errno = 0;
	*number = strtod(argument, &end);
	*unit = end;
	return !errno && end != argument && strchr("0123456789.", *argument) && *number >= 0 && *number < 1e18;
}

/* Returns the nanoseconds in a unit of time, or 0 for an unknown unit. */
static double unit_ns(const char *unit)
{
	static const struct { const char *name; double ns; } units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "min", 60e9 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

static int parse_compensation(struct report_request *request, const char *argument)
{
	const char *unit;
	double number;

	request->compensates = true;
	if (!argument)
		return 0;
	if (!parse_number(argument, &number, &unit) || !(number * unit_ns(unit) >= 0.001) ||
	    number * unit_ns(unit) * 1e3 > (double)EVENT_PS_MAX)
		return message_usage("--compensate: '%s' is not the cost of an event: use a time such as '12.5ns'",
				     argument);
	request->given_event_ps = (uint64_t)(number * unit_ns(unit) * 1e3 + 0.5);
	return 0;
}

static int parse_threshold(const char *argument, struct report_threshold *threshold)
{
	const char *unit;
	double number;

	if (parse_number(argument, &number, &unit)) {
		threshold->kind = strcmp(unit, "%") == 0 ? THRESHOLD_PERCENT : *unit ? THRESHOLD_TIME : THRESHOLD_CALLS;
		threshold->least = threshold->kind == THRESHOLD_TIME ? number * unit_ns(unit) : number;
		if (threshold->kind != THRESHOLD_TIME || unit_ns(unit) > 0)
			return 0;
	}
	return message_usage("--threshold: '%s' is not valid: use '5%%', '10us' or a number of calls", argument);
}

/* Tells if --diff can sort by the column. */
static bool is_amount(enum report_column column)
{
	return COLUMNS_NUMBERS >> column & 1;
}

static int check_diff(const struct report_request *request)
{
	enum report_threshold_kind kind = request->threshold.kind;

	if (!request->is_diff)
		return kind ? message_usage("--threshold requires --diff") : 0;
	if (request->look.group == GROUP_THREAD || request->look.group == GROUP_PROCESS)
		return message_usage("--diff cannot match the %s of two traces: use --group function, library or "
				     "file",
				     request->look.group == GROUP_THREAD ? "threads" : "processes");
	if (!is_amount(request->look.sort))
		return message_usage("--diff cannot sort by %s: use calls or a time",
				     report_column_facts[request->look.sort].key);
	if (request->look.histograms)
		return message_usage("--histogram and --diff exclude each other");
	if (kind == THRESHOLD_TIME && request->look.sort == COLUMN_CALLS)
		return message_usage("--threshold: with --sort calls use a number of calls or '5%%'");
	if (kind == THRESHOLD_CALLS && request->look.sort != COLUMN_CALLS)
		return message_usage("--threshold: if you sort by a time, use a time such as '10us', or '5%%'");
	return 0;
}

/* Prints a message about options that exclude each other, and sets the columns. Returns 0, or SPOOR_EXIT_USAGE. */
static int check_options(struct report_request *request, const char *columns)
{
	struct report_look *look = &request->look;
	report_columns available = report_group_columns(look->group), usual = report_group_default(look->group);
	int status;

	if (request->compensates && (request->choice.libraries || request->choice.functions || request->choice.least_ns ||
				     request->choice.condition))
		return message_usage("--compensate needs all calls: leave out --module, --function, --min-duration and --where");
	if (look->sort == COLUMN_COUNT)
		look->sort = request->is_diff ? COLUMN_SELF : COLUMN_TOTAL;
		/* CSV has all columns for every group, so that a column's position never changes. */
	if (look->format == REPORT_CSV)
		usual = COLUMNS_ALL;
	else if (look->format == REPORT_JSON)
		usual = available;
	else if (request->is_diff)
		usual = (usual & ~COLUMNS_NUMBERS) | COLUMN_BIT(COLUMN_CALLS) | COLUMN_BIT(COLUMN_SELF) |
			COLUMN_BIT(look->sort);
	else if (walk_choice_has_sched(&request->choice))
		usual |= COLUMN_BIT(COLUMN_CPU) | COLUMN_BIT(COLUMN_WAIT);
	look->columns = usual;
	request->has_columns = columns;
	look->fixed = COLUMN_BIT(look->sort);
	if (look->format == REPORT_TEXT)
		look->width = terminal_width();
	if (columns) {
		status = report_columns_parse(columns, usual, &look->columns);
		if (status)
			return status;
		look->fixed |= look->columns;
		if (look->columns == COLUMNS_ALL && look->format != REPORT_CSV)
			look->columns = look->format == REPORT_TEXT && !walk_choice_has_sched(&request->choice) ?
						available & ~COLUMNS_SCHED : available;
		for (enum report_column column = 0; column < COLUMN_COUNT; column++)
			if (look->columns & ~available & ~usual & COLUMN_BIT(column))
				return message_usage("--columns: a %s has no %s", report_group_keys[look->group],
						     report_column_facts[column].key);
	}
	if (!(available >> look->sort & 1))
		return message_usage("cannot sort by %s: a %s has no such value", report_column_facts[look->sort].key,
				     report_group_keys[look->group]);
	if (look->histograms && look->format == REPORT_CSV)
		return message_usage("--histogram requires --format text or json");
	return check_diff(request);
}

static int parse_arguments(struct report_request *request, int count, char **arguments)
{
	if (!request->is_diff)
		return walk_choice_arguments(&request->choice, count, arguments);
	if (count != 2)
		return message_usage("--diff compares two traces: use --diff BEFORE AFTER");
	request->paths[0] = arguments[0];
	request->paths[1] = arguments[1];
	return 0;
}

/* The other options of rows do not fit rows of values. */
static int check_by(const struct report_request *request, const char *columns)
{
	enum report_column sort = request->look.sort;

	if (!request->by)
		return message_usage("--callers needs --by");
	if (request->is_diff || request->compensates || columns || request->look.group != GROUP_FUNCTION)
		return message_usage("--by does not allow --diff, --compensate, --columns or --group");
	if (request->threshold.kind)
		return message_usage("--threshold requires --diff");
	if (request->look.histograms && request->look.format != REPORT_TEXT)
		return message_usage("--by: --histogram requires --format text");
	if (sort != COLUMN_COUNT && sort != COLUMN_CALLS && sort != COLUMN_TOTAL && sort != COLUMN_AVG && sort != COLUMN_P99)
		return message_usage("--by: cannot sort by %s: use calls, total, avg or p99", report_column_facts[sort].key);
	return report_by_value_check(request->by);
}

int report_request_parse(struct report_request *request, int argc, char **argv)
{
	enum { FORMAT = WALK_OWN, BY, CALLERS, SYSCALLS, COLUMNS, HISTOGRAM, COMPENSATE, DIFF, THRESHOLD, NO_PAGER };
	static const struct option options[] = {
		{ "sort", required_argument, NULL, 's' },
		{ "group", required_argument, NULL, 'g' },
		{ "by", required_argument, NULL, BY },
		{ "callers", no_argument, NULL, CALLERS },
		{ "syscalls", no_argument, NULL, SYSCALLS },
		{ "columns", required_argument, NULL, COLUMNS },
		{ "limit", required_argument, NULL, 'n' },
		{ "histogram", no_argument, NULL, HISTOGRAM },
		{ "compensate", optional_argument, NULL, COMPENSATE },
		{ "format", required_argument, NULL, FORMAT },
		{ "diff", no_argument, NULL, DIFF },
		{ "threshold", required_argument, NULL, THRESHOLD },
		{ "no-pager", no_argument, NULL, NO_PAGER },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	const char *columns = NULL;
	int option, status = 0;

	*request = (struct report_request){ .look = { .sort = COLUMN_COUNT, .limit = SIZE_MAX } };
	walk_choice_begin(&request->choice);
	while (!status && (option = options_next(argc, argv, "s:g:n:" WALK_LETTERS, options)) != -1) {
		switch (option) {
		case 's':
			status = parse_sort(optarg, &request->look.sort);
			break;
		case 'g':
			status = parse_group(optarg, &request->look.group);
			break;
		case BY:
			request->by = optarg;
			break;
		case CALLERS:
			request->by_caller = true;
			break;
		case SYSCALLS:
			request->has_syscalls = true;
			break;
		case COLUMNS:
			columns = optarg;
			break;
		case 'n':
			status = parse_limit(optarg, &request->look.limit);
			break;
		case HISTOGRAM:
			request->look.histograms = true;
			break;
		case COMPENSATE:
			status = parse_compensation(request, optarg);
			break;
		case FORMAT:
			status = parse_format(optarg, &request->look.format);
			break;
		case DIFF:
			request->is_diff = true;
			break;
		case NO_PAGER:
			request->no_pager = true;
			break;
		case THRESHOLD:
			status = parse_threshold(optarg, &request->threshold);
			break;
		case 'h':
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = walk_choice_option(&request->choice, option, optarg);
		}
	}
	if (!status)
		status = parse_arguments(request, argc - optind, argv + optind);
	if (!status && request->has_syscalls)
		return report_system_calls_check(request, columns);
	if (!status && (request->by || request->by_caller))
		return check_by(request, columns);
	return status ? status : check_options(request, columns);
}

void report_request_end(struct report_request *request)
{
	walk_choice_end(&request->choice);
}
