/* SPDX-License-Identifier: MIT */
/* top.c - spoor top: shows the functions of a running process, as top(1) shows processes. */
#include "live/top.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/number_text.h"
#include "base/system/proc.h"
#include "base/time_text.h"
#include "live/top_screen.h"
#include "reader/symbols/symbol_short_names.h"
#include "walk/pattern_options.h"
#include "base/system/monotonic.h"

#define INTERVAL_NS 1000000000ull
#define REST_NS 20000000		/* between two questions whether a recorder has written everything */
#define INTERVAL_LEAST_NS 10000000ull
#define INTERVAL_MOST_NS 3600000000000ull

struct top_request {
	uint64_t interval_ns;
	unsigned long iterations;	/* 0: until the process ends */
	bool batch;
};

static const char help[] =
	"Usage: spoor top [OPTION]... PID\n"
	"Show the functions of a running process that is being recorded, with their calls, total\n"
	"and self time in the last interval. The recording continues undisturbed.\n"
	"\n"
	"  -i, --interval TIME   refresh each TIME, such as '2s' or '500ms' (default: 1s)\n"
	"      --iterations N    end after N intervals\n"
	"  -b, --batch           print the intervals one after the other and read no keys; the\n"
	"                        default if stdout is not a terminal\n"
	"  -s, --sort COLUMN     sort by calls, total, self (default), avg, min, max, stddev, p50,\n"
	"                        p99, function or library\n"
	"      --columns LIST    show these columns, such as 'calls,self,p99'; a '+' before the\n"
	"                        list adds the columns to the usual ones\n"
	"  -f, --function PATTERNS\n"
	"                        show only these functions\n"
	"  -n, --limit N         show at most N functions\n"
	"  -q, --quiet           print only warnings and errors\n"
	"      --full-names      show parameters and all template arguments in names\n"
	"      --no-demangle     show linkage names\n"
	"      --help            show this and exit\n"
	"\n"
	"Keys: c, t, s, a, m, f and l sort by calls, total, self, avg, max, function and library;\n"
	"space shows the interval so far; q ends top.\n"
	"\n"
	"The exit status is 0 for success, 1 if there is nothing to show, and 2 for a wrong\n"
	"command line. spoor-top(1) describes the columns.\n";

static int parse_number(const char *option, const char *argument, unsigned long *number)
{
	if (!number_text_count(argument, 1, ULONG_MAX, number))
		return message_usage("%s: '%s' is not a number from 1", option, argument);
	return 0;
}

static int parse_interval(const char *argument, uint64_t *interval_ns)
{
	char *end;
	double seconds;

	/* Accepts seconds, as top(1) does, or a time with a unit. */
	seconds = strtod(argument, &end);
	if (*argument >= '0' && *argument <= '9' && !*end && seconds * 1e9 <= INTERVAL_MOST_NS)
		*interval_ns = (uint64_t)(seconds * 1e9);
	else if (time_text_parse(argument, interval_ns))
		*interval_ns = 0;
	if (*interval_ns < INTERVAL_LEAST_NS || *interval_ns > INTERVAL_MOST_NS)
		return message_usage("--interval: '%s' is not a time from 10ms to 1h: use a time such as '2s' or "
				     "'500ms'", argument);
	return 0;
}

static int parse_sort(const char *argument, struct report_look *look)
{
	look->sort = report_column_find(argument, strlen(argument));
	if (look->sort == COLUMN_COUNT || !(report_group_columns(GROUP_FUNCTION) >> look->sort & 1) ||
	    look->sort == COLUMN_FILE || look->sort == COLUMN_LINE)
		return message_usage("cannot sort by '%s': use calls, total, self, avg, min, max, stddev, p50, p99, "
				     "function or library", argument);
	return 0;
}

static int parse_columns(const char *argument, struct report_look *look)
{
	report_columns there = report_group_columns(GROUP_FUNCTION) & ~(COLUMN_BIT(COLUMN_FILE) | COLUMN_BIT(COLUMN_LINE));
	int status = report_columns_parse(argument, look->columns, &look->columns);

	if (!status && look->columns == COLUMNS_ALL)
		look->columns = there;
	if (!status && look->columns & ~there)
		return message_usage("--columns: '%s' has a column that top cannot show: use calls, total, self, avg, "
				     "min, max, stddev, p50, p99, function or library", argument);
	return status;
}

static int parse_process(const char *argument, pid_t *process_id)
{
	uint64_t number;

	if (!number_text_parse(argument, 1, INT32_MAX, &number))
		return message_usage("'%s' is not a process ID: 'pgrep %s' lists the IDs of a program", argument, argument);
	*process_id = (pid_t)number;
	return 0;
}

static int parse(struct top *top, struct top_request *request, int argc, char **argv)
{
	enum { COLUMNS = 0x100, ITERATIONS, FULL_NAMES, NO_DEMANGLE };
	static const struct option options[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "iterations", required_argument, NULL, ITERATIONS },
		{ "batch", no_argument, NULL, 'b' },
		{ "sort", required_argument, NULL, 's' },
		{ "columns", required_argument, NULL, COLUMNS },
		{ "function", required_argument, NULL, 'f' },
		{ "limit", required_argument, NULL, 'n' },
		{ "full-names", no_argument, NULL, FULL_NAMES },
		{ "no-demangle", no_argument, NULL, NO_DEMANGLE },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status = 0;

	while (!status && (option = options_next(argc, argv, "i:n:bs:f:", options)) != -1) {
		switch (option) {
		case 'i':
			status = parse_interval(optarg, &request->interval_ns);
			break;
		case ITERATIONS:
			status = parse_number("--iterations", optarg, &request->iterations);
			break;
		case 'b':
			request->batch = true;
			break;
		case 's':
			status = parse_sort(optarg, &top->look);
			break;
		case COLUMNS:
			status = parse_columns(optarg, &top->look);
			break;
		case 'f':
			status = pattern_options_add(&top->patterns, optarg);
			break;
		case 'n':
			status = parse_number("--limit", optarg, &top->look.limit);
			break;
		case FULL_NAMES:
			symbol_short_names_turn_off();
			break;
		case NO_DEMANGLE:
			top->symbols.demangle = false;
			break;
		case 'h':
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = message_usage(NULL);
		}
	}
	if (!status && optind == argc)
		status = message_usage("no process: name a process by its ID");
	if (!status && optind + 1 < argc)
		status = message_usage("unexpected argument '%s': top shows one process", argv[optind + 1]);
	return status ? status : parse_process(argv[optind], &top->process_id);
}

/* Returns whether the key selects a column to sort by. */
static bool take_key(struct report_look *look, int key)
{
	static const struct { char key; enum report_column column; } keys[] = {
		{ 'c', COLUMN_CALLS }, { 't', COLUMN_TOTAL }, { 's', COLUMN_SELF }, { 'a', COLUMN_AVG },
		{ 'm', COLUMN_MAX }, { 'f', COLUMN_FUNCTION }, { 'l', COLUMN_LIBRARY },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (key != keys[i].key)
			continue;
		look->sort = keys[i].column;
		return true;
	}
	return false;
}

/* A text that is kept to be shown again. */
struct text {
	char *bytes;
	size_t count;
};

/* Takes the text that was written since the last call. Returns 0 or a negative errno. */
static int take_text(struct output *out, struct text *text)
{
	off_t size;
	char *bytes;

	output_flush(out);
	size = out->error ? 0 : lseek(out->fd, 0, SEEK_CUR);
	bytes = realloc(text->bytes, (size_t)size + 1);
	if (out->error || !bytes)
		return out->error ? out->error : -ENOMEM;
	text->bytes = bytes;
	text->count = (size_t)size;
	if (pread(out->fd, bytes, text->count, 0) != size || ftruncate(out->fd, 0) || lseek(out->fd, 0, SEEK_SET) < 0)
		return errno ? -errno : -EIO;
	return 0;
}

/* Shows one interval after the other. Returns 0 or a negative errno. */
static int show_each(struct top *top, const struct top_request *request, struct output *out)
{
	int64_t next_ns = monotonic_ns();
	struct text text = { 0 };
	unsigned long shown = 0;
	int error = 0, news = TOP_TIME;

	while (!error && news != TOP_SIGNAL && news != 'q' && !output_failed(out)) {
		bool first = !top->since_ns;

		if (top_awaits_recorder(top)) {
			next_ns = monotonic_ns() + REST_NS;
		} else if (news == TOP_TIME || news == ' ') {
			if (shown && request->batch)
				output_char(out, '\n');
			error = top_look(top, out);
			/* Skips intervals that passed during a long look. */
			next_ns += (int64_t)request->interval_ns;
			if (news == ' ' || next_ns < monotonic_ns())
				next_ns = monotonic_ns() + (int64_t)request->interval_ns;
			if (!error && request->batch)
				output_flush(out);
			else if (!error)
				error = take_text(out, &text);
			shown += !first;
		}
		if (!error && !request->batch)
			error = top_screen_show(text.bytes, text.count);
		if (error || top->has_ended || (request->iterations && shown == request->iterations))
			break;
		news = top_screen_wait(next_ns);
		if (take_key(&top->look, news))
			news = ' ';
	}
	free(text.bytes);
	return error ? error : out->error;
}

static int run(struct top *top, struct top_request *request)
{
	struct output out;
	int error, status = top_open(top);

	if (status)
		return status;
	request->batch |= !top_screen_is_there();
	error = request->batch ? output_begin(&out, NULL) : output_begin_temporary(&out);
	if (!error) {
		int ended;

		error = top_screen_begin(!request->batch);
		if (!error) {
			error = show_each(top, request, &out);
			top_screen_end();
		}
		ended = output_end(&out);
		error = error ? error : ended;
	}
	if (error && error != -EPIPE)
		message("process %d: %s", (int)top->process_id, strerror(-error));
	else if (top->has_ended)
		message("process %d has ended", (int)top->process_id);
	top_close(top);
	return error && error != -EPIPE ? SPOOR_EXIT_BAD_TRACE : SPOOR_EXIT_GOOD;
}

int top_main(int argc, char **argv)
{
	static struct top top;
	struct top_request request = { .interval_ns = INTERVAL_NS };
	int status;

	top.symbols.demangle = true;
	top.look = (struct report_look){
		.group = GROUP_FUNCTION, .sort = COLUMN_SELF, .limit = SIZE_MAX, .calls_width = 13,
		/* Leaves room for names on a screen of usual width. */
		.columns = COLUMN_BIT(COLUMN_CALLS) | COLUMN_BIT(COLUMN_TOTAL) | COLUMN_BIT(COLUMN_SELF) |
			   COLUMN_BIT(COLUMN_LIBRARY) | COLUMN_BIT(COLUMN_FUNCTION),
	};
	status = parse(&top, &request, argc, argv);
	if (!status)
		status = proc_check();
	if (!status)
		status = run(&top, &request);
	free(top.patterns);
	return status;
}
