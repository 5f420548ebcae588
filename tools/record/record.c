/* SPDX-License-Identifier: MIT */
/*
 * record.c - spoor record: runs a program with libspoor.so preloaded.
 *
 * Prepares the program's environment. summary.c prints the summary, record_options.c reads the command line,
 * schedule.c limits the time and the size, launch.c runs the program, trace_directory.c makes the
 * trace's directory.
 */
#include <errno.h>
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

#include "base/commands.h"
#include "record/descendants.h"
#include "record/launch.h"
#include "base/system/file_limits.h"
#include "base/message.h"
#include "base/system/proc.h"
#include "base/installed_paths.h"
#include "base/rank.h"
#include "record/record.h"
#include "record/choice/check_patterns.h"
#include "record/container/container.h"
#include "record/throttled.h"
#include "record/schedule.h"
#include "reader/packed/trace_names.h"
#include "record/recorded_functions.h"
#include "record/recorder.h"
#include "record/sched/sched_recording.h"
#include "walk/trace_directory.h"
#include "walk/version0_writer.h"

/* Puts the runtime before other preloaded libraries. Returns 0 or a negative errno. */
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

/* Escapes the path, because '$' begins a variable for the runtime. Returns 0, or -1 with errno. */
static int set_path(const char *variable, const char *path)
{
	char *literal = malloc(2 * strlen(path) + 1), *at = literal;
	int error;

	if (!literal)
		return -1;
	for (; *path; path++) {
		if (*path == '$')
			*at++ = '$';
		*at++ = *path;
	}
	*at = '\0';
	error = setenv(variable, literal, 1);
	free(literal);
	return error;
}

/* Adds a part before the other preloaded libraries. Returns 0 or an exit status. */
static int preload(enum spoor_part part, const char *name)
{
	char path[PATH_MAX];
	int error = spoor_part_path(part, path, PATH_MAX);

	if (error) {
		message("cannot find %s%s%s: %s", name, *path ? " at " : "", path, strerror(-error));
		return SPOOR_EXIT_BAD_TRACE;
	}
	if (strpbrk(path, ": ")) {
		message("%s: LD_PRELOAD accepts no path with a space or a colon: install spoor elsewhere", path);
		return SPOOR_EXIT_BAD_TRACE;
	}
	error = set_preload(path);
	if (error)
		message("cannot set the program's environment: %s", strerror(-error));
	return error ? SPOOR_EXIT_BAD_TRACE : 0;
}

/* Returns 0 or an exit status. */
static int prepare_environment(const struct record *record, const char *trace_path)
{
	int error, status = record->tracepoints ? preload(SPOOR_PART_TRAP, "libspoor_trap.so") : 0;
	uint64_t session_id;
	char session[24];

	if (!status)
		status = preload(SPOOR_PART_RUNTIME, "libspoor.so");
	if (status)
		return status;
	error = set_path("SPOOR_RUNTIME_TRACE_PATH", trace_path) ? -errno : 0;
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
	if (!error && record->tracepoints && setenv("SPOOR_RUNTIME_TRACEPOINTS", record->tracepoints, 1))
		error = -errno;
	if (!error && record->library_calls && setenv("SPOOR_RUNTIME_LIBRARY_CALLS", record->library_calls, 1))
		error = -errno;
	if (!error && record->args && setenv("SPOOR_RUNTIME_ARGS", record->args, 1))
		error = -errno;
	if (!error && record->retval && setenv("SPOOR_RUNTIME_RETVAL", record->retval, 1))
		error = -errno;
	if (!error && record->cpu_time && setenv("SPOOR_RUNTIME_CPU_TIME", record->cpu_time, 1))
		error = -errno;
	if (!error && record->functions && setenv("SPOOR_RUNTIME_FUNCTIONS", record->functions, 1))
		error = -errno;
	/* All processes that it starts, and the recorders of a job's other ranks, share the session. A session in
	 * the environment is kept. */
	session_id = spoor_rank_session();
	if (!error && (session_id || getrandom(&session_id, sizeof(session_id), GRND_NONBLOCK) == (ssize_t)sizeof(session_id))) {
		snprintf(session, sizeof(session), "%" PRIu64, session_id);
		if (setenv("SPOOR_RUNTIME_SESSION_ID", session, 0))
			error = -errno;
	}
	if (error)
		message("cannot set the program's environment: %s", strerror(-error));
	return error ? SPOOR_EXIT_BAD_TRACE : 0;
}

/* Ends like the program, by the same exit status or signal. */
static int end_like(int status)
{
	sigset_t its_signal;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* The program's core file is useful, ours is not. */
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&its_signal);
	sigaddset(&its_signal, WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &its_signal, NULL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

/* Converts the trace to Spoor's format in its directory. Keeps events that cannot be written. */
static void rewrite(const char *path)
{
	int error = 0;

	if (version0_write_trace(path) != SPOOR_EXIT_GOOD)
		message("%s: the trace stays in spoor's own format: 'spoor export --format=spoor' converts it", path);
	else
		error = trace_directory_remove_folders(path);
	if (error)
		message("%s: cannot remove the unconverted trace beside Spoor's files: %s", path,
			strerror(-error));
}

#define LOOK_US 5000
#define LOOKS 20
#define LONG_LOOKS 1000
#define DORMANT_MS 50

struct rest {
	struct recorder *recorder;
	struct record_watch watch;
	struct record_live *live;
	struct sched_recording *sched;
	const char *sched_path;		/* of the trace */
	uint32_t sched_flags;
	const char *trace_path;		/* for functions that are called too often; null: no limit */
	struct record_container container;
	char variable[RECORDER_NAME_BYTES + 32];	/* in the environment of the program and its descendants */
};

/* Returns how many processes are traced, or are about to be. */
static unsigned int living(void *context)
{
	struct rest *rest = context;
	unsigned int count = recorder_living(rest->recorder);

	/* A process that was started and has not connected yet gets a moment to do so, which begins again each time
	 * that it runs or waits for a processor. */
	for (int i = 0, idle = 0; !count && i < LONG_LOOKS && idle < LOOKS && descendants_exist(rest->variable); i++) {
		usleep(LOOK_US);
		idle = descendants_are_busy(rest->variable) ? 0 : idle + 1;
		count = recorder_living(rest->recorder);
	}
	return count;
}

static bool runs(void *context)
{
	const struct rest *rest = context;

	return descendants_exist(rest->variable);
}

static void started(void *context, pid_t program)
{
	struct rest *rest = context;

	const struct sched_request request = {
		.process_id = program, .trace_path = rest->sched_path, .user = geteuid(), .group = getegid(), .flags = rest->sched_flags,
	};

	rest->sched = sched_recording_begin(&request);
}

/* The recorder looks at the ended process (recorded_pool.c). */
static void ended(void *context, pid_t program)
{
	const struct rest *rest = context;

	for (int i = 0; i < LOOKS && recorder_drains(rest->recorder, program); i++)
		usleep(LOOK_US);
}

static int tick(void *context)
{
	struct rest *rest = context;
	int next_ms = record_schedule_tick(&rest->watch);

	if (!rest->trace_path)
		return next_ms;
	record_throttled_tick(rest->recorder, rest->trace_path);
	return next_ms >= 0 && next_ms < DORMANT_MS ? next_ms : DORMANT_MS;
}

/* Returns 0 or an exit status. */
static int begin_recorder(const struct record *record, const char *trace_path, struct rest *rest,
			  struct recorded_functions **functions)
{
	char name[RECORDER_NAME_BYTES];
	int error = recorder_begin(&rest->recorder, name, sizeof(name)), status = 0;

	if (!error)
		error = recorder_place(rest->recorder, trace_path, false, name, sizeof(name));
	if (!error && record->container)
		status = record_container_begin(&rest->container, record->container, record->tracepoints, rest->recorder, name);
	if (status)
		return status;
	if (!error) {
		recorder_max_rate(rest->recorder, record->max_rate);
		if (!record->no_symbols)
			recorder_functions(rest->recorder, functions);
		rest->trace_path = record->max_rate ? trace_path : NULL;
		snprintf(rest->variable, sizeof(rest->variable), "SPOOR_RUNTIME_RECORDER=%s", name);
		setenv("SPOOR_RUNTIME_RECORDER", name, 1);
		status = record_schedule_begin(&rest->watch, record, rest->recorder, rest->variable);
		return status ? status : record_live_begin(&rest->live, &record->live, trace_path, rest->recorder);
	}
	if (rest->recorder) {
		struct recorder_totals none;

		recorder_end(rest->recorder, &none);
		rest->recorder = NULL;
	}
	message("cannot listen for processes: %s; each writes its own trace", strerror(-error));
	return record->start_after_ns || record->duration_ns || record->max_bytes || record->max_rate || record->live.wanted ||
	       record->sched ||
	       record->container ? SPOOR_EXIT_BAD_TRACE : 0;
}

static int run(const struct record *record)
{
	char trace_path[PATH_MAX];
	struct recorder_totals totals = { 0 };
	struct rest rest = { 0 };
	struct launch_rest launch_rest = { .changed_fd = -1, .busy = living, .runs = runs, .context = &rest, .tick = tick,
					   .ended = ended };
	struct recorded_functions *functions = NULL;
	int status, wait_status;

	if (trace_directory_make(record->trace_path, trace_path, sizeof(trace_path)))
		return SPOOR_EXIT_BAD_TRACE;
	status = prepare_environment(record, trace_path);
	if (status)
		goto discard;
	limits_raise();
	status = begin_recorder(record, trace_path, &rest, &functions);
	if (rest.recorder)
		launch_rest.changed_fd = recorder_changed_fd(rest.recorder);
	launch_rest.inherited_fd = rest.container.inherited_fd;
	rest.sched_path = trace_path;
	rest.sched_flags = record->sched_flags;
	launch_rest.started = record->sched ? started : NULL;
	if (!status)
		status = launch(record->program, rest.recorder ? &launch_rest : NULL, &wait_status);
	record_container_end(&rest.container);
	record_schedule_end(&rest.watch);
	record_live_stop(rest.live);
	sched_recording_end(rest.sched);
	if (rest.recorder)
		recorder_end(rest.recorder, &totals);
	record_live_end(rest.live);
	if (status)
		goto discard;
	if (rest.recorder && !rest.watch.begun && trace_directory_is_ours(trace_path) && trace_directory_is_empty(trace_path)) {
		message("the recording is empty: %s ended before the time of --start-after", record->program[0]);
		trace_directory_discard(trace_path);
		goto free;
	}
	totals.full &= !rest.watch.full;
	record_summary(record, record->program[0], &totals, functions);
	if (record->as_spoor && trace_directory_is_ours(trace_path) && !trace_directory_is_empty(trace_path))
		rewrite(trace_path);
free:
	recorded_functions_free(functions);
	return end_like(wait_status);

discard:
	recorded_functions_free(functions);
	trace_directory_discard(trace_path);
	return status;
}

int record_main(int argc, char **argv)
{
	struct record record = { .trace_path = TRACE_DEFAULT_PATH };
	int status;

	record_live_choice_begin(&record.live);
	record.no_symbols = getenv(TRACE_NAMES_VARIABLE) && *getenv(TRACE_NAMES_VARIABLE);
	status = record_parse(&record, argc, argv);
	if (!status)
		status = proc_check();
	if (!status)
		status = record_check_patterns(&record);
	if (!status)
		status = record.pid ? record_attached(&record) : run(&record);
	free(record.modules);
	free(record.functions);
	free(record.tracepoints);
	free(record.library_calls);
	free(record.args);
	free(record.retval);
	free(record.cpu_time);
	free(record.live.patterns);
	walk_choice_end(&record.live.walk);
	return status;
}
