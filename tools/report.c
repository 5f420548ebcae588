/* SPDX-License-Identifier: MIT */
/*
 * report.c - spoor report: calls and times of each function.
 *
 * What the columns mean
 *   calls  entries, and what was counted in mode 'count', which has no times.
 *          What was open before it could be recorded has no entry: its time is that
 *          since then, and counts as total and self
 *   total  time in the function and all that it called. A call within a call of
 *          the same function on the same thread adds nothing: its time is the
 *          outer one's.
 *   self   total without what it called: over all functions of a thread it adds
 *          up to the time in which anything was open
 *   avg, min, max  of the durations of single calls, inner ones too
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "patterns.h"
#include "report_losses.h"
#include "report_table.h"
#include "walk.h"

struct report {
	struct output out;
	struct report_table table;
	struct report_losses losses;
	struct walk_choice choice;
	const char *patterns;

	const struct process *process;
	struct functions *functions;
	struct report_statistics *list;	/* by function number, of the current process */
	uint32_t list_count;

	struct map64 row_of, row_of_unknown;	/* positions in rows, from 1 */
	size_t row_capacity;
};

static void no_memory(void)
{
	message("no memory for so many functions");
	exit(SPOOR_EXIT_BAD_TRACE);
}

static void grow_list(struct report *report, uint32_t number)
{
	uint32_t count = number < 128 ? 256 : 2 * number;
	struct report_statistics *list = reallocarray(report->list, count, sizeof(*list));

	if (!list)
		no_memory();
	memset(list + report->list_count, 0, (count - report->list_count) * sizeof(*list));
	report->list = list;
	report->list_count = count;
}

static void report_enter(void *context, const struct call *call, size_t depth)
{
	struct report *report = context;

	(void)depth;
	if (__builtin_expect(call->function >= report->list_count, 0))
		grow_list(report, call->function);
	report->list[call->function].open++;
}

static void report_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct report *report = context;
	struct report_statistics *statistics = &report->list[call->function];
	uint64_t duration_ns = call_duration(call, end_ns);

	(void)depth, (void)how;
	statistics->self_ns += duration_ns > call->inner_ns ? duration_ns - call->inner_ns : 0;
	if (!--statistics->open)
		statistics->total_ns += duration_ns;
	if (call->root) {
		statistics->roots++;
		return;
	}
	if (!statistics->calls || duration_ns < statistics->min_ns)
		statistics->min_ns = duration_ns;
	statistics->calls += !call->resumed;
	if (duration_ns > statistics->max_ns)
		statistics->max_ns = duration_ns;
	statistics->sum_ns += duration_ns;
}

static int report_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct report *report = context;

	report_losses_add(&report->losses, process);
	report->process = process;
	report->functions = functions;
	return 0;
}

static int report_thread_end(void *context, const struct call_tree *tree)
{
	struct report *report = context;

	report->table.repaired += tree->repaired;
	report->table.orphans += tree->orphans;
	report->table.losses += tree->losses;
	report->table.gaps += tree->gaps;
	report->table.roots += tree->roots;
	return 0;
}

/* The row of a function: the same in all processes, for all instances of its module. */
static struct report_row *find_row(struct report *report, uint32_t number)
{
	const struct function *function = &report->functions->list[number];
	const struct symbol_file *symbols = function->symbols;
	uint32_t *at = symbols ? map64_at(&report->row_of, (uint64_t)symbols->number << 32 | function->id) :
				 map64_at(&report->row_of_unknown, function->id);
	struct report_row *row;

	if (!at)
		no_memory();
	if (*at)
		return &report->table.rows[*at - 1];
	if (report->table.row_count == report->row_capacity) {
		size_t capacity = report->row_capacity ? 2 * report->row_capacity : 256;
		struct report_row *rows = reallocarray(report->table.rows, capacity, sizeof(*rows));

		if (!rows)
			no_memory();
		report->table.rows = rows;
		report->row_capacity = capacity;
	}
	row = &report->table.rows[report->table.row_count++];
	*at = (uint32_t)report->table.row_count;
	*row = (struct report_row){
		.name = strdup(function_name(report->functions, number)),
		.library = function_library(report->functions, number),
	};
	if (!row->name)
		no_memory();
	return row;
}

/* What was counted, and no thread's. */
static void add_counts(struct report *report)
{
	const struct count_file *counts = &report->process->counts;

	if (report->choice.thread_count) {
		report->table.counts_left_out += counts->calls != 0;
		return;
	}
	for (uint32_t index = 0; index < counts->end; index++) {
		uint32_t number;

		if (!counts->counts[index])
			continue;
		number = functions_number(report->functions, index, UINT64_MAX);
		if (!number)
			no_memory();
		if (number >= report->list_count)
			grow_list(report, number);
		report->list[number].counted += counts->counts[index];
	}
	report->table.counted_lost += counts->lost;
}

/* Folds a process into the rows. */
static int report_process_end(void *context)
{
	struct report *report = context;

	add_counts(report);

	for (uint32_t i = 1; i < report->list_count; i++) {
		const struct report_statistics *one = &report->list[i];
		struct report_statistics *all;

		if (!(one->calls + one->counted + one->roots) || (report->patterns && !function_matches(report->functions, i, report->patterns)))
			continue;
		all = &find_row(report, i)->statistics;
		all->counted += one->counted;
		report->table.counted += one->counted;
		all->roots += one->roots;
		all->total_ns += one->total_ns;
		all->self_ns += one->self_ns;
		if (!one->calls)
			continue;
		if (!all->calls || one->min_ns < all->min_ns)
			all->min_ns = one->min_ns;
		if (one->max_ns > all->max_ns)
			all->max_ns = one->max_ns;
		all->calls += one->calls;
		all->sum_ns += one->sum_ns;
	}
	free(report->list);
	report->list = NULL;
	report->list_count = 0;
	return 0;
}

static int report_trace_end(void *context)
{
	struct report *report = context;

	report_table_write(&report->table, &report->out);
	if (!report->table.csv)
		report_losses_write(&report->losses, &report->out);
	return report->out.error;
}

static const char help[] =
	"Usage: spoor report [OPTION]... [TRACE]\n"
	"Show calls and times of each function of a trace (default: " TRACE_DEFAULT_PATH ").\n"
	"\n"
	"  -s, --sort KEY        total (default), self, calls, avg, min, max, function, library\n"
	"  -f, --function PATTERNS\n"
	"                        only rows of these functions\n"
	"  -n, --limit N         N rows and no more\n"
	"      --format FORMAT   text (default) or csv: nanoseconds, RFC 4180\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0, 1 where the trace is damaged or cannot be read, 2 for a\n"
	"wrong command line. spoor-report(1) says what the columns mean.\n";

static int parse_sort(struct report *report, const char *argument)
{
	static const char *const keys[] = { "total", "self", "calls", "avg", "min", "max", "function", "library" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strcmp(argument, keys[i]) == 0) {
			report->table.sort = (enum report_sort)i;
			return 0;
		}
	}
	return message_usage("cannot sort by '%s'", argument);
}

static int parse(struct report *report, int argc, char **argv)
{
	enum { FORMAT = WALK_OWN };
	static const struct option options[] = {
		{ "sort", required_argument, NULL, 's' },
		{ "function", required_argument, NULL, 'f' },
		{ "limit", required_argument, NULL, 'n' },
		{ "format", required_argument, NULL, FORMAT },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	int option, status = 0;
	char *end;

	while (!status && (option = getopt_long(argc, argv, "s:f:n:", options, NULL)) != -1) {
		switch (option) {
		case 's':
			status = parse_sort(report, optarg);
			break;
		case 'f':
			report->patterns = optarg;
			status = patterns_check(optarg);
			break;
		case 'n':
			errno = 0;
			report->table.limit = strtoul(optarg, &end, 10);
			if (errno || end == optarg || *end || *optarg == '-')
				status = message_usage("'%s' is no number of rows", optarg);
			break;
		case FORMAT:
			report->table.csv = strcmp(optarg, "csv") == 0;
			if (!report->table.csv && strcmp(optarg, "text") != 0)
				status = message_usage("there is no format '%s': text and csv are", optarg);
			break;
		case 'h':
			fputs(help, stdout);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = walk_choice_option(&report->choice, option, optarg);
		}
	}
	return status ? status : walk_choice_arguments(&report->choice, argc - optind, argv + optind);
}

int report_main(int argc, char **argv)
{
	struct report report = { .table.limit = SIZE_MAX };
	const struct walk_sink sink = {
		.context = &report,
		.takes_counts = true,
		.process_begin = report_process_begin,
		.process_end = report_process_end,
		.thread_end = report_thread_end,
		.trace_end = report_trace_end,
		.calls = { .context = &report, .enter = report_enter, .leave = report_leave },
	};
	int status, error;

	walk_choice_begin(&report.choice);
	status = parse(&report, argc, argv);
	if (!status) {
		error = output_begin(&report.out, NULL);
		if (!error)
			status = walk_trace(&report.choice, &sink);
		if (!error)
			error = output_end(&report.out);
		if (error) {
			message("cannot write: %s", strerror(-error));
			status = SPOOR_EXIT_BAD_TRACE;
		}
	}
	for (size_t i = 0; i < report.table.row_count; i++)
		free(report.table.rows[i].name);
	free(report.table.rows);
	map64_free(&report.row_of);
	map64_free(&report.row_of_unknown);
	walk_choice_end(&report.choice);
	return status;
}
