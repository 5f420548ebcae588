/* SPDX-License-Identifier: MIT */
/*
 * record.c - spoor record: runs a program with libspoor.so in it.
 *
 * The command line and the words at the end; launch.c runs the program,
 * trace_place.c finds the place for the trace.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "export.h"
#include "descendants.h"
#include "launch.h"
#include "configuration.h"
#include "file_limits.h"
#include "message.h"
#include "paths.h"
#include "patterns.h"
#include "record.h"
#include "reader/trace.h"
#include "recorder.h"
#include "signal_name.h"
#include "trace_place.h"
#include "trigger_text.h"

static int add_patterns(char **list, const char *patterns)
{
	char *joined;
	int status = patterns_check(patterns);

	if (status)
		return status;
	if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", patterns) < 0) {
		message("no memory");
		return SPOOR_EXIT_BAD_TRACE;
	}
	free(*list);
	*list = joined;
	return 0;
}

/* Puts the runtime before whatever is preloaded already. Return: 0 or a negative errno. */
static int set_preload(const char *runtime)
{
	const char *others = getenv("LD_PRELOAD");
	char *value;
	int error = 0;

	if (!others || !*others)
		return setenv("LD_PRELOAD", runtime, 1) ? -errno : 0;
	if (asprintf(&value, "%s:%s", runtime, others) < 0)
		return -ENOMEM;
	if (setenv("LD_PRELOAD", value, 1))
		error = -errno;
	free(value);
	return error;
}

/* The path as it is: to the runtime a '$' begins a variable. Return: 0 or -1 with errno. */
static int set_path(const char *variable, const char *path)
{
	char literal[2 * PATH_MAX], *at = literal;

	for (; *path; path++) {
		if (*path == '$')
			*at++ = '$';
		*at++ = *path;
	}
	*at = '\0';
	return setenv(variable, literal, 1);
}

/* Return: 0 or an exit status. */
static int prepare_environment(const struct record *record, const char *trace_path)
{
	char runtime[PATH_MAX], session[24];
	uint64_t session_id;
	int error = spoor_part_path(SPOOR_PART_RUNTIME, runtime, sizeof(runtime));

	if (error) {
		message("cannot find libspoor.so%s%s: %s", *runtime ? " at " : "", runtime, strerror(-error));
		return SPOOR_EXIT_BAD_TRACE;
	}
	if (strpbrk(runtime, ": ")) {
		message("%s: LD_PRELOAD takes no path with a space or a colon; install spoor elsewhere", runtime);
		return SPOOR_EXIT_BAD_TRACE;
	}
	error = set_preload(runtime);
	if (!error && set_path("SPOOR_RUNTIME_TRACE_PATH", trace_path))
		error = -errno;
	if (!error && record->modules && setenv("SPOOR_RUNTIME_MODULES", record->modules, 1))
		error = -errno;
	if (!error && record->mode && setenv("SPOOR_RUNTIME_MODE", record->mode, 1))
		error = -errno;
	if (!error && record->flush_signal && setenv("SPOOR_RUNTIME_FLUSH_SIGNAL", record->flush_signal, 1))
		error = -errno;
	if (!error && record->trigger && setenv("SPOOR_RUNTIME_TRIGGER", record->trigger, 1))
		error = -errno;
	if (!error && record->handler && set_path("SPOOR_RUNTIME_HANDLER", record->handler))
		error = -errno;
	if (!error && record->functions && setenv("SPOOR_RUNTIME_FUNCTIONS", record->functions, 1))
		error = -errno;
	/* One for all that it starts; somebody else's session goes on. */
	if (!error && getrandom(&session_id, sizeof(session_id), GRND_NONBLOCK) == (ssize_t)sizeof(session_id)) {
		snprintf(session, sizeof(session), "%" PRIu64, session_id);
		if (setenv("SPOOR_RUNTIME_SESSION_ID", session, 0))
			error = -errno;
	}
	if (error)
		message("cannot set the program's environment: %s", strerror(-error));
	return error ? SPOOR_EXIT_BAD_TRACE : 0;
}

static uint64_t lost_events(const struct process *process)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < process->loss_count; i++)
		lost += process->losses[i].events;
	return lost;
}

void record_count(const char *path, size_t *processes, struct recorder_totals *totals, uint64_t *counted)
{
	struct trace trace;

	totals->events = totals->lost = 0;
	if (trace_open(&trace, path, true))
		return;
	*processes = trace.count;
	for (size_t i = 0; i < trace.count; i++) {
		struct process process;

		if (trace_open_process(&trace, i, &process))
			continue;
		totals->events += process_words(&process);
		totals->lost += lost_events(&process) + process.counts.lost;
		*counted += process.counts.calls;
		process_close(&process);
	}
	trace_close(&trace);
}

void record_summary(const struct record *record, const char *name, struct recorder_totals *totals)
{
	const char *path = record->trace_path;
	size_t processes = 0;
	uint64_t counted = 0;

	if (!trace_place_is_empty(path))
		record_count(path, &processes, totals, &counted);
	if (totals->error)
		message("%s: events could not be written: %s; what is missing is counted as lost", path,
			strerror(totals->error));
	if (!processes) {
		trace_place_discard(path);
		if (record->handler)	/* which has all events */
			return;
		if (record->modules || record->functions)
			message("nothing was recorded: no function of %s that has a sled was chosen by --module and "
				"--function", name);
		else
			message("nothing was recorded: %s has no sleds that spoor could wake. Build it and its "
				"libraries with CC=spoor-cc CXX=spoor-c++; spoor-record(1) says more",
				name);
	} else if (counted && (!record->quiet || totals->lost)) {
		message("%" PRIu64 " calls counted and %" PRIu64 " events of %zu process%s in %s, %" PRIu64 " lost", counted,
			totals->events, processes, processes == 1 ? "" : "es", path, totals->lost);
	} else if (!record->quiet || totals->lost) {
		message("%" PRIu64 " events of %zu process%s in %s, %" PRIu64 " lost", totals->events, processes,
			processes == 1 ? "" : "es", path, totals->lost);
	}
}

/* Ends as the program did. */
static int end_like(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* Its core file is worth having, ours is not. */
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

/* Writes the trace anew as Spoor's, in its own place. What cannot be written stays as it is. */
static void rewrite(const char *path)
{
	int error = 0;

	if (export_spoor_trace(path, path, true) != SPOOR_EXIT_GOOD)
		message("%s: stays as it was recorded; 'spoor export --format=spoor' writes it anew", path);
	else
		error = trace_place_remove_folders(path);
	if (error)
		message("%s: what was recorded is there beside Spoor's files, and cannot be removed: %s", path,
			strerror(-error));
}

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
	"      --mode MODE       log: all events (default); ring: the last ones of each thread;\n"
	"                        count: how often each function is called; off: none until the\n"
	"                        program calls spoor_enable()\n"
	"      --flush-signal SIGNAL\n"
	"                        have all events written when a process gets this signal\n"
	"      --trigger 'PATTERNS>TIME'\n"
	"                        keep what is around calls of these functions that take longer:\n"
	"                        'handle_*>10ms', with --mode ring\n"
	"      --handler LIBRARY call LIBRARY with each event, and write no trace\n"
	"      --format FORMAT   spoor: leave files as Microsoft's Spoor writes them\n"
	"  -p, --pid PID         record this running process, until it ends or an interrupt\n"
	"      --duration TIME   ... or so many seconds: '10', '0.5', '500ms', '2min'\n"
	"  -q, --quiet           say nothing when all went well\n"
	"      --help            show this and exit\n"
	"\n"
	"The exit status is the program's; it ends by the signal that ended the program.\n"
	"127 says that there is no such program, 126 that it cannot be run, 2 that the\n"
	"command line is wrong, 1 that the trace has no place. spoor-record(1) says more.\n";

/* A path is made absolute, for programs that change their directory; a mere name is looked up
 * as libraries are. Return: 0 or an exit status. */
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

static int parse_duration(const char *text, int64_t *duration_ns)
{
	static const struct { const char *name; double ns; } units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "min", 60e9 }, { "h", 3600e9 },
	};
	double value;
	char *end;

	errno = 0;
	value = strtod(text, &end);
	for (size_t i = 0; !errno && end != text && i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].name) != 0 || !(value * units[i].ns >= 1 && value * units[i].ns <= 9e18))
			continue;
		*duration_ns = (int64_t)(value * units[i].ns);
		return 0;
	}
	return message_usage("--duration: '%s' is no time: '10', '0.5', '500ms', '2min'", text);
}

static int parse(struct record *record, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "module", required_argument, NULL, 'm' },
		{ "function", required_argument, NULL, 'f' },
		{ "mode", required_argument, NULL, 'M' },
		{ "flush-signal", required_argument, NULL, 'S' },
		{ "trigger", required_argument, NULL, 't' },
		{ "handler", required_argument, NULL, 'H' },
		{ "format", required_argument, NULL, 'F' },
		{ "pid", required_argument, NULL, 'p' },
		{ "duration", required_argument, NULL, 'd' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status = 0;

	while (!status && (option = getopt_long(argc, argv, "+o:m:f:p:q", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			record->trace_path = optarg;
			break;
		case 'm':
			status = add_patterns(&record->modules, optarg);
			break;
		case 'f':
			status = add_patterns(&record->functions, optarg);
			break;
		case 'M':
			if (spoor_configuration_mode(optarg) < 0)
				status = message_usage("--mode: '%s' is none of log, ring, count and off", optarg);
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
			status = parse_duration(optarg, &record->duration_ns);
			break;
		case 'q':
			record->quiet = true;
			break;
		case 'h':
			fputs(help, stdout);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = message_usage(NULL);
		}
	}
	if (!status && record->pid && optind < argc)
		status = message_usage("--pid is for a process that runs already: '%s' is too much", argv[optind]);
	else if (!status && record->pid && record->mode && spoor_configuration_mode(record->mode) == SPOOR_MODE_OFF)
		status = message_usage("--pid with --mode off would record nothing");
	else if (!status && record->pid && record->mode && spoor_configuration_mode(record->mode) == SPOOR_MODE_COUNT)
		status = message_usage("--pid begins with events: have the process count later, by 'spoor ctl %d mode count'",
				       (int)record->pid);
	else if (!status && record->pid && (record->trigger || record->flush_signal || record->handler || record->as_spoor))
		status = message_usage("--trigger, --flush-signal, --handler and --format are for programs that spoor "
				       "starts, not for --pid");
	else if (!status && !record->pid && record->duration_ns)
		status = message_usage("--duration is for --pid");
	else if (!status && !record->pid && optind == argc)
		status = message_usage("which program?");
	record->program = argv + optind;
	return status;
}

struct rest {
	struct recorder *recorder;
	char variable[96];	/* in the environment of all that the program has started */
	bool looked;
};

/* How many processes are traced still, or are about to be. */
static unsigned int living(void *context)
{
	struct rest *rest = context;
	unsigned int count = recorder_living(rest->recorder);

	if (count || rest->looked)
		return count;
	/* One that was started and has not called anything yet gets a moment for it. */
	rest->looked = true;
	for (int i = 0; !count && i < 20 && descendants_exist(rest->variable); i++) {
		usleep(5000);
		count = recorder_living(rest->recorder);
	}
	return count;
}

static int run(const struct record *record)
{
	char trace_path[PATH_MAX], recorder_name[64];
	struct recorder_totals totals = { 0 };
	struct rest rest = { 0 };
	struct launch_rest launch_rest = { -1, living, &rest };
	int status, error, wait_status;

	if (trace_place_make(record->trace_path, trace_path, sizeof(trace_path)))
		return SPOOR_EXIT_BAD_TRACE;
	status = prepare_environment(record, trace_path);
	if (status)
		goto discard;
	limits_raise();
	error = recorder_begin(&rest.recorder, recorder_name, sizeof(recorder_name));
	if (error) {
		message("cannot listen for processes: %s; each writes its own trace", strerror(-error));
	} else {
		snprintf(rest.variable, sizeof(rest.variable), "SPOOR_RUNTIME_RECORDER=%s", recorder_name);
		setenv("SPOOR_RUNTIME_RECORDER", recorder_name, 1);
		launch_rest.changed_fd = recorder_changed_fd(rest.recorder);
	}
	status = launch(record->program, error ? NULL : &launch_rest, &wait_status);
	if (rest.recorder)
		recorder_end(rest.recorder, &totals);
	if (status)
		goto discard;
	record_summary(record, record->program[0], &totals);
	if (record->as_spoor && !trace_place_is_empty(trace_path))
		rewrite(trace_path);
	return end_like(wait_status);

discard:
	trace_place_discard(trace_path);
	return status;
}

int record_main(int argc, char **argv)
{
	struct record record = { .trace_path = TRACE_DEFAULT_PATH };
	int status = parse(&record, argc, argv);

	if (!status)
		status = record.pid ? record_attached(&record) : run(&record);
	free(record.modules);
	free(record.functions);
	return status;
}
