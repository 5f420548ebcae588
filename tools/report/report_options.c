/* SPDX-License-Identifier: MIT */
/* report_options.c - the command line of spoor report. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/commands.h"
#include "base/message.h"
#include "base/number_text.h"
#include "walk/pattern_options.h"
#include "report/report.h"

static const char help[] =
	"Usage: spoor report [OPTION]... [TRACE]...\n"
	"       spoor report --diff [OPTION]... BEFORE AFTER\n"
	"Show calls and times of each function of traces (default: " TRACE_DEFAULT_PATH "), or what\n"
	"became slower from one trace to another.\n"
	"\n"
	"  -s, --sort COLUMN     by total (default), self, calls, or any other column\n"
	"  -g, --group COLUMN    a row for each function (default), library, file,\n"
	"                        thread or process\n"
	"      --columns LIST    these columns: function, library, calls, total, self, avg, min,\n"
	"                        max, stddev, p50, p99, file, line, process, thread, thread-name,\n"
	"                        process-name; 'all'; with a '+' in front as well as the usual ones\n"
	"  -f, --function PATTERNS\n"
	"                        only calls of these functions\n"
	"  -n, --limit N         N rows and no more\n"
	"      --histogram       with each row how many calls took how long\n"
	"      --compensate[=TIME]\n"
	"                        take off what events cost by the trace's measurement, or TIME\n"
	"                        each, such as '12.5ns'\n"
	"      --format FORMAT   text (default); csv: nanoseconds, RFC 4180; json\n"
	"      --diff            compare two traces: what got slower comes first, by --sort\n"
	"                        (default: self)\n"
	"      --threshold LEAST of --diff, leave out what changed by less: '5%', '10us', or\n"
	"                        so many calls\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0, 1 where a trace is damaged or cannot be read, 2 for a wrong\n"
	"command line. spoor-report(1) says what the columns mean.\n";

static int parse_sort(const char *argument, enum report_column *sort)
{
	char columns[160] = "";

	*sort = report_column_find(argument, strlen(argument));
	if (*sort < COLUMN_COUNT)
		return 0;
	for (size_t i = 0, length = 0; i < COLUMN_COUNT && length < sizeof(columns); i++)
		length += (size_t)snprintf(columns + length, sizeof(columns) - length, "%s%s", i ? ", " : "",
					   report_column_facts[i].key);
	return message_usage("cannot sort by '%s': columns are %s", argument, columns);
}

static int parse_group(const char *argument, enum report_group *group)
{
	for (*group = 0; *group < GROUP_COUNT; (*group)++)
		if (strcmp(argument, report_group_keys[*group]) == 0)
			return 0;
	return message_usage("cannot group by '%s': function, library, file, thread and process are", argument);
}

static int parse_format(const char *argument, enum report_format *format)
{
	static const char *const formats[] = { [REPORT_TEXT] = "text", [REPORT_CSV] = "csv", [REPORT_JSON] = "json" };

	for (*format = REPORT_TEXT; *format <= REPORT_JSON; (*format)++)
		if (strcmp(argument, formats[*format]) == 0)
			return 0;
	return message_usage("there is no format '%s': text, csv and json are", argument);
}

static int parse_limit(const char *argument, size_t *limit)
{
	if (!number_text_parse(argument, 0, SIZE_MAX, limit))
		return message_usage("'%s' is no number of rows", argument);
	return 0;
}

/* A number that is not negative, and what follows it. */
static bool parse_number(const char *argument, double *number, const char **unit)
{
	char *end;

	errno = 0;
	*number = strtod(argument, &end);
	*unit = end;
	return !errno && end != argument && strchr("0123456789.", *argument) && *number >= 0 && *number < 1e18;
}

/* Return: nanoseconds in a unit of time; 0 where it is none. */
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
		return message_usage("--compensate: '%s' is not what an event costs, such as '12.5ns'", argument);
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
	return message_usage("--threshold: '%s' is no '5%%', '10us' or number of calls", argument);
}

/* What a difference may be sorted by. */
static bool is_amount(enum report_column column)
{
	return COLUMNS_NUMBERS >> column & 1;
}

static int check_diff(const struct report_request *request)
{
	enum report_threshold_kind kind = request->threshold.kind;

	if (!request->is_diff)
		return kind ? message_usage("--threshold is for --diff") : 0;
	if (request->look.group == GROUP_THREAD || request->look.group == GROUP_PROCESS)
		return message_usage("--diff: %s of two traces are not the same: --group function, library or file",
				     request->look.group == GROUP_THREAD ? "threads" : "processes");
	if (!is_amount(request->look.sort))
		return message_usage("--diff is sorted by calls or a time, not by %s",
				     report_column_facts[request->look.sort].key);
	if (request->look.histograms)
		return message_usage("--histogram is of one trace, not for --diff");
	if (kind == THRESHOLD_TIME && request->look.sort == COLUMN_CALLS)
		return message_usage("--threshold: sorted by calls it is a number, or '5%%'");
	if (kind == THRESHOLD_CALLS && request->look.sort != COLUMN_CALLS)
		return message_usage("--threshold: sorted by a time it is a time such as '10us', or '5%%'");
	return 0;
}

/* What does not go together is said. */
static int check(struct report_request *request, const char *columns)
{
	struct report_look *look = &request->look;
	report_columns there = report_group_columns(look->group), usual = report_group_default(look->group);
	int status;

	if (request->compensates && (request->choice.libraries || request->choice.least_ns))
		return message_usage("--compensate takes all calls into account: not with --library and --min-duration");
	if (look->sort == COLUMN_COUNT)
		look->sort = request->is_diff ? COLUMN_SELF : COLUMN_TOTAL;
	/* CSV has them all in each case: a column is where it is. */
	if (look->format == REPORT_CSV)
		usual = COLUMNS_ALL;
	else if (look->format == REPORT_JSON)
		usual = there;
	else if (request->is_diff)
		usual = (usual & ~COLUMNS_NUMBERS) | COLUMN_BIT(COLUMN_CALLS) | COLUMN_BIT(COLUMN_SELF) |
			COLUMN_BIT(look->sort);
	look->columns = usual;
	if (columns) {
		status = report_columns_parse(columns, usual, &look->columns);
		if (status)
			return status;
		if (look->columns == COLUMNS_ALL && look->format != REPORT_CSV)
			look->columns = there;
		for (enum report_column column = 0; column < COLUMN_COUNT; column++)
			if (look->columns & ~there & ~usual & COLUMN_BIT(column))
				return message_usage("--columns: a %s has no %s of its own", report_group_keys[look->group],
						     report_column_facts[column].key);
	}
	if (!(there >> look->sort & 1))
		return message_usage("cannot sort by %s: a %s has none of its own", report_column_facts[look->sort].key,
				     report_group_keys[look->group]);
	if (look->histograms && look->format == REPORT_CSV)
		return message_usage("--histogram is for text and json");
	return check_diff(request);
}

static int take_arguments(struct report_request *request, int count, char **arguments)
{
	if (!request->is_diff)
		return walk_choice_arguments(&request->choice, count, arguments);
	if (count != 2)
		return message_usage("--diff compares two traces: BEFORE AFTER");
	request->paths[0] = arguments[0];
	request->paths[1] = arguments[1];
	return 0;
}

int report_request_parse(struct report_request *request, int argc, char **argv)
{
	enum { FORMAT = WALK_OWN, COLUMNS, HISTOGRAM, COMPENSATE, DIFF, THRESHOLD };
	static const struct option options[] = {
		{ "sort", required_argument, NULL, 's' },
		{ "group", required_argument, NULL, 'g' },
		{ "columns", required_argument, NULL, COLUMNS },
		{ "function", required_argument, NULL, 'f' },
		{ "limit", required_argument, NULL, 'n' },
		{ "histogram", no_argument, NULL, HISTOGRAM },
		{ "compensate", optional_argument, NULL, COMPENSATE },
		{ "format", required_argument, NULL, FORMAT },
		{ "diff", no_argument, NULL, DIFF },
		{ "threshold", required_argument, NULL, THRESHOLD },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	const char *columns = NULL;
	int option, status = 0;

	*request = (struct report_request){ .look = { .sort = COLUMN_COUNT, .limit = SIZE_MAX } };
	walk_choice_begin(&request->choice);
	while (!status && (option = getopt_long(argc, argv, "s:g:f:n:", options, NULL)) != -1) {
		switch (option) {
		case 's':
			status = parse_sort(optarg, &request->look.sort);
			break;
		case 'g':
			status = parse_group(optarg, &request->look.group);
			break;
		case COLUMNS:
			columns = optarg;
			break;
		case 'f':
			status = pattern_options_add(&request->patterns, optarg);
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
		case THRESHOLD:
			status = parse_threshold(optarg, &request->threshold);
			break;
		case 'h':
			fputs(help, stdout);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = walk_choice_option(&request->choice, option, optarg);
		}
	}
	if (!status)
		status = take_arguments(request, argc - optind, argv + optind);
	return status ? status : check(request, columns);
}

void report_request_end(struct report_request *request)
{
	free(request->patterns);
	walk_choice_end(&request->choice);
}
