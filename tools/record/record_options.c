/* SPDX-License-Identifier: MIT */
/* record_options.c - reads the command line of spoor record. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/warning.h"
#include "base/commands.h"
#include "config/configuration.h"
#include "text/capture_text.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/number_text.h"
#include "walk/pattern_options.h"
#include "reader/files/trace_reader.h"
#include "record/record.h"
#include "record/sched/sched_recording.h"
#include "base/signal_name.h"
#include "text/trigger_condition_text.h"

#define TIME_MAX_NS 1e17	/* three years, which still fit when added to a clock's time */

static const char help[] =
	"Usage: spoor record [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"       spoor record [OPTION]... --pid PID\n"
	"Run PROGRAM, or attach to a process, and record the calls of all functions that\n"
	"have sleds.\n"
	"\n"
	"  -o, --output DIR      write the trace to DIR (default: " TRACE_DEFAULT_PATH "); an older trace\n"
	"                        there is renamed to DIR.old\n"
	"  -m, --module PATTERNS\n"
	"                        record only these executables and libraries, such as\n"
	"                        'libfoo*,-libbar.so'\n"
	"  -f, --function PATTERNS\n"
	"                        record only these functions\n"
	"      --library-calls PATTERNS\n"
	"                        also record calls of functions of these libraries, without\n"
	"                        sleds: 'libc*,libz*:inflate*'\n"
	"      --args 'FUNCTION[(NAME:FORMAT,...)],...'\n"
	"                        also record the arguments of these functions: 'parse*',\n"
	"                        'libfoo.so:open(path:s,flags:x)'; they may be secrets\n"
	"      --retval 'FUNCTION,...'\n"
	"                        also record the results of these functions\n"
	"      --cpu-time 'FUNCTION,...'\n"
	"                        also record how long these functions had a processor, also\n"
	"                        if the kernel refuses --sched\n"
	"      --tracepoint PATTERNS\n"
	"                        also record these static tracepoints, such as 'provider:name*'\n"
	"      --allow-empty     only warn about patterns that match no function or library with\n"
	"                        which PROGRAM starts\n"
	"      --mode MODE       log (default): all events; ring: the last events of each thread;\n"
	"                        count: how often each function is called; order: the order of\n"
	"                        first calls, for spoor order; off: nothing until the program\n"
	"                        calls spoor_enable()\n"
	"      --flush-signal SIGNAL\n"
	"                        write all events when a process receives this signal\n"
	"      --trigger 'PATTERNS>TIME'\n"
	"                        with --mode ring: keep the events around calls of these\n"
	"                        functions that take longer than TIME, such as 'handle_*>10ms'\n"
	"      --trigger 'PATTERNS(CONDITION)'\n"
	"                        the same around calls with such captured numbers, such as\n"
	"                        'handle(status>=500)' with --args 'handle(path:s,status:)'\n"
	"      --handler LIBRARY call LIBRARY with each event, and write no trace\n"
	"      --format FORMAT   spoor: write files in the format of Microsoft's Spoor\n"
	"  -p, --pid PID         record this running process until it ends or until an interrupt\n"
	"      --container[=DIR] PROGRAM starts a container with DIR as its root directory: copy\n"
	"                        libspoor.so there for the time of the recording\n"
	"      --start-after TIME\n"
	"                        start recording TIME after the program: '10' seconds, '500ms',\n"
	"                        '2min'\n"
	"      --duration TIME   record for TIME; the program continues after that\n"
	"      --max-size SIZE   stop recording after SIZE bytes of events, such as '64K', '100M'\n"
	"      --max-rate N      make functions dormant that are called more than N times per\n"
	"                        second, and list them at the end\n"
	"      --sched[=LIST]    also record when threads run and wait: the columns cpu, wait,\n"
	"                        preempted and faults of spoor report; with CAP_PERFMON also\n"
	"                        what LIST names, such as wakers,syscalls: wakers, the threads\n"
	"                        that wake them; states, in which they wait; syscalls, each\n"
	"                        system call\n"
	RECORD_LIVE_HELP
	"      --no-symbols      do not store the names of functions in the trace; they are lost if\n"
	"                        the program is built again\n"
	"  -q, --quiet           print only warnings and errors\n"
	"      --help            show this and exit\n"
	"\n"
	"The exit status is the program's; spoor record ends by the same signal as the program.\n"
	"It is 127 if the program does not exist, 126 if the program cannot be run, 2 for a\n"
	"wrong command line, and 1 if the trace cannot be created. spoor-record(1) describes the\n"
	"options.\n";

/* Makes a path absolute, because programs change their directory. A name without '/' is searched like a library.
 * Returns 0 or an exit status. */
static int choose_handler(struct record *record, const char *handler)
{
	static char path[PATH_MAX];

	record->handler = handler;
	if (!strchr(handler, '/'))
		return *handler ? 0 : message_usage("--handler: the library name is empty");
	if (!realpath(handler, path)) {
		message("--handler %s: %s", handler, strerror(errno));
		return SPOOR_EXIT_USAGE;
	}
	record->handler = path;
	return 0;
}

/* Appends choices of functions whose values are recorded. Returns 0 or an exit status. */
static int add_captures(const char *option, const char *text, char **list)
{
	char *joined;

	if (spoor_capture_text_check(text) < 0)
		return message_usage("%s: '%s' is not a list of functions such as 'parse*,open(path:s,flags:x)'", option, text);
	if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", text) < 0) {
		message("out of memory");
		return SPOOR_EXIT_BAD_TRACE;
	}
	free(*list);
	*list = joined;
	return 0;
}

static int parse_pid(const char *text, pid_t *pid)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value <= 0 || value > INT_MAX)
		return message_usage("--pid: '%s' is not a process ID: 'pgrep %s' lists the IDs of a program", text, text);
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
	return message_usage("%s: '%s' is not a time: use a time such as '10', '0.5', '500ms' or '2min'", option, text);
}

static int parse_size(const char *text, uint64_t *bytes)
{
	if (!number_text_size(text, 1, INT64_MAX, bytes))
		return message_usage("--max-size: '%s' is not a size: " NUMBER_TEXT_SIZES, text);
	return 0;
}

static int check_trigger(const char *text)
{
	static struct spoor_condition parsed;
	char condition[SPOOR_TRIGGER_CONDITION_MAX];
	const char *fault;

	if (spoor_trigger_parse(text, NULL, 0, NULL) < 0)
		return message_usage("--trigger: '%s' is not a trigger: use patterns, and '>' with a time, such as "
				     "'parse*>10ms', or a condition, such as 'parse*(size>100)'", text);
	fault = spoor_trigger_condition(text, condition) ? spoor_trigger_condition_check(condition, &parsed) : NULL;
	return fault ? message_usage("--trigger: invalid condition '%s': %s", condition, fault) : 0;
}

/* A trigger's condition sees captured values only. */
static int check_trigger_values(const struct record *record)
{
	char condition[SPOOR_TRIGGER_CONDITION_MAX];

	if (record->pid || record->args || record->retval || !spoor_trigger_condition(record->trigger, condition))
		return 0;
	return message_usage("--trigger: the condition '%s' needs captured values: add --args 'FUNCTION(NAME:)' with the names "
			     "of the arguments, or --retval FUNCTION for result", condition);
}

static int parse_rate(const char *text, uint64_t *rate)
{
	if (!number_text_count(text, 1, UINT32_MAX - 1, rate))
		return message_usage("--max-rate: '%s' is not a number of calls per second: use a number such as "
				     "100000 or 100k", text);
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
		return message_usage("%s, and a handler (--handler, SPOOR_RUNTIME_HANDLER) receives them instead",
				     what);
	if (mode == SPOOR_MODE_LOG || mode == SPOOR_MODE_RING || mode == SPOOR_MODE_OFF)
		return 0;
	return message_usage("%s, and mode '%s' stores none: use --mode log or ring",
			     what, spoor_configuration_mode_name((enum spoor_mode)mode));
}

/* Checks that the options can be combined. @words: number of words of the program's command line. Returns 0 or an
 * exit status. */
static int check_options(const struct record *record, int words)
{
	int mode = record->mode ? spoor_configuration_mode(record->mode) : SPOOR_MODE_LOG;
	int status = 0;

	if (record->pid && words)
		return message_usage("unexpected argument '%s': --pid records a running process and starts no program",
				     record->program[0]);
	if (record->pid && mode == SPOOR_MODE_OFF)
		return message_usage("--pid excludes --mode off, which would record nothing");
	if (record->pid && mode == SPOOR_MODE_ORDER)
		return message_usage("--pid excludes --mode order, which needs the first calls: start the program with "
				     "spoor record");
	if (record->pid && mode == SPOOR_MODE_COUNT)
		return message_usage("--pid excludes --mode count: use 'spoor ctl %d mode count' during the recording",
				     (int)record->pid);
	if (record->pid && (record->flush_signal || record->handler || record->as_spoor))
		return message_usage("--pid excludes --flush-signal, --handler and --format: they need a program that "
				     "spoor starts");
	if (record->pid && record->container)
		return message_usage("--pid excludes --container: it detects a container itself");
	if (record->pid && record->start_after_ns)
		return message_usage("--pid excludes --start-after, which needs a program that spoor starts");
	if (record->start_after_ns && (mode == SPOOR_MODE_OFF || mode == SPOOR_MODE_ORDER))
		return message_usage("--start-after and --mode %s exclude each other", record->mode);
	if (record->handler && (record->placed || record->start_after_ns || record->duration_ns || record->max_bytes))
		return message_usage("--handler writes no trace, and excludes -o, --start-after, --duration and "
				     "--max-size");
	if (record->live.option && !record->live.wanted)
		return message_usage("%s requires --live: 'spoor replay' has the same option for a trace",
				     record->live.option);
	if (record->as_spoor && record->sched)
		return message_usage("--sched and --format spoor exclude each other");
	if (record->as_spoor)
		status = check_events(record, "--format spoor needs events");
	if (!status && record->live.wanted)
		status = check_events(record, "--live needs events");
	if (!status && record->max_rate)
		status = check_events(record, "--max-rate needs events");
	if (!status && record->sched)
		status = check_events(record, "--sched needs events");
	if (!status && (record->args || record->retval))
		status = check_events(record, "--args and --retval need events");
	if (!status && record->cpu_time)
		status = check_events(record, "--cpu-time needs events");
	if (!status && record->trigger)
		status = check_events(record, "--trigger needs events");
	if (!status && record->trigger)
		status = check_trigger_values(record);
	if (!status && !record->pid && !words)
		return message_usage("no program: name a program to run, or a process with --pid");
	return status;
}

int record_parse(struct record *record, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "module", required_argument, NULL, 'm' },
		{ "function", required_argument, NULL, 'f' },
		{ "tracepoint", required_argument, NULL, 'T' },
		{ "library-calls", required_argument, NULL, 'L' },
		{ "args", required_argument, NULL, 'A' },
		{ "retval", required_argument, NULL, 'R' },
		{ "cpu-time", required_argument, NULL, 'c' },
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
		{ "sched", optional_argument, NULL, 'w' },
		{ "allow-empty", no_argument, NULL, 'E' },
		{ "no-symbols", no_argument, NULL, 'N' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		RECORD_LIVE_LONG_OPTIONS,
		{ 0 },
	};
	int option, status = 0;

	while (!status && (option = options_next(argc, argv, "+o:m:f:p:q", options)) != -1) {
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
		case 'L':
			status = pattern_options_add(&record->library_calls, optarg);
			break;
		case 'A':
			status = add_captures("--args", optarg, &record->args);
			break;
		case 'R':
			status = add_captures("--retval", optarg, &record->retval);
			break;
		case 'c':
			status = add_captures("--cpu-time", optarg, &record->cpu_time);
			break;
		case 'M':
			if (spoor_configuration_mode(optarg) < 0)
				status = message_usage("unknown mode '%s': use log, ring, count, order or off", optarg);
			record->mode = optarg;
			break;
		case 'S':
			if (spoor_signal_number(optarg) < 0)
				status = message_usage("--flush-signal: '%s' is not a signal that can request a flush: "
						       "use a signal such as SIGUSR1", optarg);
			record->flush_signal = optarg;
			break;
		case 't':
			status = check_trigger(optarg);
			record->trigger = optarg;
			break;
		case 'F':
			if (strcmp(optarg, "spoor") != 0)
				status = message_usage("unknown format '%s': use spoor", optarg);
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
		case 'w':
			record->sched = true;
			if (optarg && !sched_recording_parse(optarg, &record->sched_flags))
				status = message_usage("--sched: unknown value '%s': use wakers, states and syscalls, separated by "
						       "commas, or no value", optarg);
			break;
		case 'E':
			record->allow_empty = true;
			break;
		case 'N':
			record->no_symbols = true;
			break;
		case 'q':
			record->quiet = true;
			message_set_quiet();
			break;
		case 'h':
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = record_live_option(&record->live, option, optarg);
		}
	}
	record->program = argv + optind;
	return status ? status : check_options(record, argc - optind);
}
