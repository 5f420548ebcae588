/* SPDX-License-Identifier: MIT */
/* record_options.c - reads the command line of spoor record. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/warning.h"
#include "base/commands.h"
#include "config/configuration.h"
#include "base/message.h"
#include "base/number_text.h"
#include "walk/pattern_options.h"
#include "reader/files/trace_reader.h"
#include "record/record.h"
#include "base/signal_name.h"
#include "text/trigger_text.h"

#define TIME_MAX_NS 1e17	/* three years, which still fit when added to a clock's time */

static const char help[] =
	"Usage: spoor record [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"       spoor record [OPTION]... --pid PID\n"
	"Run PROGRAM, or attach to a process, and record the calls of all functions that\n"
	"have sleds.\n"
	"\n"
	"  -o, --output DIR      the trace (default: " TRACE_DEFAULT_PATH "); an older trace there is\n"
	"                        kept as DIR.old, DIR.old.1 and so on\n"
	"  -m, --module PATTERNS\n"
	"                        only these executables and libraries: 'libfoo*,-libbar.so'\n"
	"  -f, --function PATTERNS\n"
	"                        only these functions\n"
	"      --tracepoint PATTERNS\n"
	"                        these static tracepoints, too: 'provider:name*'\n"
	"      --mode MODE       log: all events (default); ring: the last ones of each thread;\n"
	"                        count: how often each function is called; order: which function\n"
	"                        came when, once each, for spoor order; off: none until the\n"
	"                        program calls spoor_enable()\n"
	"      --flush-signal SIGNAL\n"
	"                        have all events written when a process gets this signal\n"
	"      --trigger 'PATTERNS>TIME'\n"
	"                        keep what is around calls of these functions that take longer:\n"
	"                        'handle_*>10ms', with --mode ring\n"
	"      --handler LIBRARY call LIBRARY with each event, and write no trace\n"
	"      --format FORMAT   spoor: leave files as Microsoft's Spoor writes them\n"
	"  -p, --pid PID         record this running process, until it ends or an interrupt\n"
	"      --container[=DIR] PROGRAM begins a container, with DIR as its root directory:\n"
	"                        libspoor.so is put there until the end\n"
	"      --start-after TIME\n"
	"                        begin so long after the program: '10' seconds, '500ms', '2min'\n"
	"      --duration TIME   record for so long; the program goes on\n"
	"      --max-size SIZE   stop when so many bytes of events are written: '64K', '100M'\n"
	"      --max-rate N      functions that are called more than N times a second go back to\n"
	"                        dormant, and are named at the end\n"
	RECORD_LIVE_HELP
	"  -q, --quiet           say nothing when all went well\n"
	"      --help            show this and exit\n"
	"\n"
	"The exit status is the program's; it ends by the signal that ended the program.\n"
	"127 says that there is no such program, 126 that it cannot be run, 2 that the\n"
	"command line is wrong, 1 that the trace has no place. spoor-record(1) says more.\n";

/* Makes a path absolute, because programs change their directory. A name without '/' is searched like a library.
 * Returns 0 or an exit status. */
static int choose_handler(struct record *record, const char *handler)
{
	static char path[PATH_MAX];

	record->handler = handler;
	if (!strchr(handler, '/'))
		return *handler ? 0 : message_usage("--handler: which library?");
	if (!realpath(handler, path)) {
		message("--handler %s: %s", handler, strerror(errno));
		return SPOOR_EXIT_USAGE;
	}
	record->handler = path;
	return 0;
}

static int parse_pid(const char *text, pid_t *pid)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value <= 0 || value > INT_MAX)
		return message_usage("--pid: '%s' is no process ID", text);
	*pid = (pid_t)value;
	return 0;
}

static int parse_time(const char *option, const char *text, int64_t *time_ns)
{
	static const struct { const char *name; double ns; } units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "min", 60e9 }, { "h", 3600e9 },
	};
	double value;
	char *end;

	errno = 0;
	value = strtod(text, &end);
	for (size_t i = 0; !errno && end != text && i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].name) != 0 || !(value * units[i].ns >= 1 && value * units[i].ns <= TIME_MAX_NS))
			continue;
		*time_ns = (int64_t)(value * units[i].ns);
		return 0;
	}
	return message_usage("%s: '%s' is no time: '10', '0.5', '500ms', '2min'", option, text);
}

static int parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (!errno && end != text && *end && (unit = strchr(units, *end))) {
		value *= (double)(1ull << 10 * (unit - units + 1));
		end++;
	}
	if (errno || end == text || *end || !(value >= 1 && value <= 9e18))
		return message_usage("--max-size: '%s' is no size in bytes: '500000', '64K', '100M', '1.5G'", text);
	*bytes = (uint64_t)value;
	return 0;
}

static int parse_rate(const char *text, uint64_t *rate)
{
	if (!number_text_parse(text, 1, UINT32_MAX - 1, rate))
		return message_usage("--max-rate: '%s' is no number of calls a second, such as 100000", text);
	return 0;
}

/* Returns the mode in which the program will begin, and whether a handler will get its events. Prints errors of
 * the configuration. */
static int mode_to_begin(const struct record *record, bool *is_handled)
{
	static struct spoor_configuration configuration;
	char said[1024] = "";
	int error;

	*is_handled = record->handler;
	if (record->pid)
		return SPOOR_MODE_LOG;
	spoor_warning_divert(said, sizeof(said));
	error = spoor_configuration_read(&configuration);
	spoor_warning_divert(NULL, 0);
	*is_handled |= error >= 0 && *configuration.handler;
	if (record->mode)
		return spoor_configuration_mode(record->mode);
	return error < 0 ? SPOOR_MODE_LOG : (int)configuration.mode;
}

/* Checks that there will be events for an option that needs them. Returns 0 or an exit status. */
static int check_events(const struct record *record, const char *what)
{
	bool is_handled;
	int mode = mode_to_begin(record, &is_handled);

	if (is_handled)
		return message_usage("%s: not where a handler has them (--handler, SPOOR_RUNTIME_HANDLER)", what);
	if (mode == SPOOR_MODE_LOG || mode == SPOOR_MODE_RING || mode == SPOOR_MODE_OFF)
		return 0;
	return message_usage("%s: not with --mode %s", what, spoor_configuration_mode_name((enum spoor_mode)mode));
}

/* Checks that the options can be combined. @words: number of words of the program's command line. Returns 0 or an
 * exit status. */
static int check_options(const struct record *record, int words)
{
	int mode = record->mode ? spoor_configuration_mode(record->mode) : SPOOR_MODE_LOG;
	int status = 0;

	if (record->pid && words)
		return message_usage("--pid is for a process that runs already: '%s' is too much", record->program[0]);
	if (record->pid && mode == SPOOR_MODE_OFF)
		return message_usage("--pid with --mode off would record nothing");
	if (record->pid && mode == SPOOR_MODE_ORDER)
		return message_usage("--pid with --mode order would come late: start the program with spoor record");
	if (record->pid && mode == SPOOR_MODE_COUNT)
		return message_usage("--pid begins with events: have the process count later, by 'spoor ctl %d mode count'",
				     (int)record->pid);
	if (record->pid && (record->flush_signal || record->handler || record->as_spoor))
		return message_usage("--flush-signal, --handler and --format are for programs that spoor starts, not for "
				     "--pid");
	if (record->pid && record->container)
		return message_usage("--container is for programs that spoor starts; --pid finds out by itself");
	if (record->pid && record->start_after_ns)
		return message_usage("--start-after is for programs that spoor starts, not for --pid");
	if (record->start_after_ns && (mode == SPOOR_MODE_OFF || mode == SPOOR_MODE_ORDER))
		return message_usage("--start-after with --mode %s: there is nothing to begin later", record->mode);
	if (record->handler && (record->placed || record->start_after_ns || record->duration_ns || record->max_bytes))
		return message_usage("-o, --start-after, --duration and --max-size are for traces, not for --handler");
	if (record->live.option && !record->live.wanted)
		return message_usage("%s is for --live; 'spoor replay' has it for the trace", record->live.option);
	if (record->as_spoor)
		status = check_events(record, "--format spoor is of events");
	if (!status && record->live.wanted)
		status = check_events(record, "--live shows events");
	if (!status && record->max_rate)
		status = check_events(record, "--max-rate looks at events");
	if (!status && record->trigger)
		status = check_events(record, "--trigger looks at events");
	if (!status && !record->pid && !words)
		return message_usage("which program?");
	return status;
}

int record_parse(struct record *record, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "module", required_argument, NULL, 'm' },
		{ "function", required_argument, NULL, 'f' },
		{ "tracepoint", required_argument, NULL, 'T' },
		{ "mode", required_argument, NULL, 'M' },
		{ "flush-signal", required_argument, NULL, 'S' },
		{ "trigger", required_argument, NULL, 't' },
		{ "handler", required_argument, NULL, 'H' },
		{ "format", required_argument, NULL, 'F' },
		{ "pid", required_argument, NULL, 'p' },
		{ "container", optional_argument, NULL, 'C' },
		{ "start-after", required_argument, NULL, 'a' },
		{ "duration", required_argument, NULL, 'd' },
		{ "max-size", required_argument, NULL, 's' },
		{ "max-rate", required_argument, NULL, 'r' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		RECORD_LIVE_LONG_OPTIONS,
		{ 0 },
	};
	int option, status = 0;

	while (!status && (option = getopt_long(argc, argv, "+o:m:f:p:q", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			status = message_take_name("--output", optarg, &record->trace_path);
			record->placed = true;
			break;
		case 'm':
			status = pattern_options_add(&record->modules, optarg);
			break;
		case 'f':
			status = pattern_options_add(&record->functions, optarg);
			break;
		case 'T':
			status = pattern_options_add(&record->tracepoints, optarg);
			break;
		case 'M':
			if (spoor_configuration_mode(optarg) < 0)
				status = message_usage("--mode: '%s' is none of log, ring, count, order and off", optarg);
			record->mode = optarg;
			break;
		case 'S':
			if (spoor_signal_number(optarg) < 0)
				status = message_usage("--flush-signal: '%s' is no signal that could ask for a flush, "
						       "such as SIGUSR1", optarg);
			record->flush_signal = optarg;
			break;
		case 't':
			if (spoor_trigger_parse(optarg, NULL, 0, NULL) < 0)
				status = message_usage("--trigger: '%s' is no trigger such as 'parse*>10ms'", optarg);
			record->trigger = optarg;
			break;
		case 'F':
			if (strcmp(optarg, "spoor") != 0)
				status = message_usage("--format: '%s' is not spoor", optarg);
			record->as_spoor = true;
			break;
		case 'H':
			status = choose_handler(record, optarg);
			break;
		case 'p':
			status = parse_pid(optarg, &record->pid);
			break;
		case 'd':
			status = parse_time("--duration", optarg, &record->duration_ns);
			break;
		case 'a':
			status = parse_time("--start-after", optarg, &record->start_after_ns);
			break;
		case 's':
			status = parse_size(optarg, &record->max_bytes);
			break;
		case 'r':
			status = parse_rate(optarg, &record->max_rate);
			break;
		case 'C':
			record->container = optarg ? optarg : "";
			break;
		case 'q':
			record->quiet = true;
			break;
		case 'h':
			fputs(help, stdout);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = record_live_option(&record->live, option, optarg);
		}
	}
	record->program = argv + optind;
	return status ? status : check_options(record, argc - optind);
}
