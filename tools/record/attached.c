/* SPDX-License-Identifier: MIT */
/* attached.c - spoor record --pid: records a running process for a while. */
#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/forked_children.h"
#include "base/command_name.h"
#include "config/configuration.h"
#include "base/system/file_limits.h"
#include "base/message.h"
#include "base/system/namespaces.h"
#include "base/system/signals.h"
#include "base/installed_paths.h"
#include "record/record.h"
#include "record/recorded_functions.h"
#include "record/sched/sched_recording.h"
#include "record/throttled.h"
#include "record/schedule.h"
#include "record/recorder.h"
#include "walk/trace_directory.h"

#define TICK_NS 100000000

struct attached {
	const struct record *record;
	struct target target;
	struct spoor_attachment *request;
	char name[64];		/* of the process, for messages */
	char library[PATH_MAX], trap[PATH_MAX];	/* paths of the libraries; trap: "" if no tracepoint is requested */
	struct inject_masks masks;
	int signals, pidfd;
	bool in_container;
	bool nothing;		/* no function was woken */
	bool full;		/* --max-size was reached, and a message was printed */
};

/* Returns whether the process might not find the library, the trace or the recorder by the paths that we use. */
static bool is_in_container(const struct attached *attached, const char *trace_path)
{
	pid_t pid = attached->target.pid;

	return namespaces_differ(pid, "pid") || namespaces_differ(pid, "net") || namespaces_differ(pid, "user") ||
	       !namespaces_same_file(pid, attached->library) || !namespaces_same_file(pid, trace_path);
}

static int fill_request(struct attached *attached, const char *trace_path, const char *recorder_name)
{
	const struct record *record = attached->record;
	struct spoor_attachment *request = attached->request;

	if ((record->modules && strlen(record->modules) >= sizeof(request->modules)) ||
	    (record->functions && strlen(record->functions) >= sizeof(request->functions)) ||
	    (record->tracepoints && strlen(record->tracepoints) >= sizeof(request->tracepoints)) ||
	    (record->args && strlen(record->args) >= sizeof(request->args)) ||
	    (record->retval && strlen(record->retval) >= sizeof(request->retval)) ||
	    (record->library_calls && strlen(record->library_calls) >= sizeof(request->library_calls)) ||
	    (record->cpu_time && strlen(record->cpu_time) >= sizeof(request->cpu_time)))
		return message_usage("too many patterns: use at most %zu characters", sizeof(request->modules) - 1);
	if (record->trigger && strlen(record->trigger) >= sizeof(request->trigger))
		return message_usage("--trigger: too long: use at most %zu characters", sizeof(request->trigger) - 1);
	request->mode = (uint32_t)(record->mode ? spoor_configuration_mode(record->mode) : SPOOR_MODE_LOG);
	/* In another PID name space our process ID may belong to another process. */
	request->recorder_process = namespaces_differ(attached->target.pid, "pid") ? 0 : getpid();
	if (getrandom(&request->session_id, sizeof(request->session_id), GRND_NONBLOCK) < 0)
		request->session_id = (uint64_t)time(NULL);
	strcpy(request->trace_path, trace_path);
	strcpy(request->recorder, recorder_name);
	strcpy(request->modules, record->modules ? record->modules : "*");
	strcpy(request->functions, record->functions ? record->functions : "*");
	strcpy(request->tracepoints, record->tracepoints ? record->tracepoints : SPOOR_TRACEPOINTS_NONE);
	strcpy(request->args, record->args ? record->args : "");
	strcpy(request->retval, record->retval ? record->retval : "");
	strcpy(request->library_calls, record->library_calls ? record->library_calls : "");
	strcpy(request->cpu_time, record->cpu_time ? record->cpu_time : "");
	strcpy(request->trigger, record->trigger ? record->trigger : "none");
	return 0;
}

/* Discards signals that have requested the end so far, so that they end neither spoor nor the wait for the end
 * (inject_notice.h). */
static void take_signals(const struct attached *attached)
{
	struct signalfd_siginfo taken;

	while (attached->signals >= 0 && read(attached->signals, &taken, sizeof(taken)) == (ssize_t)sizeof(taken))
		;
}

/* Waits until the process ends, the time is over, the trace reaches its greatest size, or a signal arrives. */
static void wait_for_end(struct attached *attached, struct recorder *recorder, const char *trace_path)
{
	struct pollfd files[] = { { .fd = attached->pidfd, .events = POLLIN }, { .fd = attached->signals, .events = POLLIN } };
	const struct record *record = attached->record;
	int64_t duration_ns = record->duration_ns, tick_ns;
	struct timespec begin, now, left;
	int shown_ms;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (;;) {
		int64_t left_ns = duration_ns;

		clock_gettime(CLOCK_MONOTONIC, &now);
		left_ns -= (now.tv_sec - begin.tv_sec) * 1000000000ll + now.tv_nsec - begin.tv_nsec;
		if (duration_ns && left_ns <= 0)
			return;
		if (recorder_is_full(recorder)) {
			message("%s: recording ended: it has %" PRIu64 " bytes of events, the limit of --max-size",
				record->trace_path,
				record->max_bytes);
			attached->full = true;
			return;
		}
		shown_ms = record_schedule_show(record, recorder);
		if (record->max_rate)
			record_throttled_tick(recorder, trace_path);
		tick_ns = shown_ms >= 0 || record->max_bytes || record->max_rate ? TICK_NS : INT64_MAX;
		if (!duration_ns || tick_ns < left_ns)
			left_ns = tick_ns;
		left = (struct timespec){ left_ns / 1000000000, left_ns % 1000000000 };
		errno = 0;
		if (ppoll(files, 2, left_ns == INT64_MAX ? NULL : &left, NULL) != 0 && errno != EINTR)
			return;
	}
}

static int open_door(void *recorder, int fd)
{
	return recorder_open_door(recorder, fd);
}

/* Returns an exit status. */
static int trace_process(struct attached *attached, struct recorder *recorder, const char *trace_path)
{
	const struct recorder_door door = { open_door, recorder };
	const struct record *record = attached->record;
	long awake = attach_begin(&attached->target, attached->request, attached->library,
				  *attached->trap ? attached->trap : NULL, &attached->masks,
				  attached->in_container ? &door : NULL);
	int error;

	if (awake < 0)
		return SPOOR_EXIT_BAD_TRACE;
	if (awake > 0) {
		long tracepoints = (long)attached->request->tracepoints_on;

		if (!record->quiet && tracepoints)
			message("%s: %ld functions and %ld tracepoint%s recorded%s", attached->name, awake - tracepoints,
				tracepoints, tracepoints == 1 ? " are" : "s are", record->duration_ns ? "" : "; interrupt to end the recording");
		else if (!record->quiet)
			message("%s: %ld function%s recorded%s", attached->name, awake, awake == 1 ? " is" : "s are",
				record->duration_ns ? "" : "; interrupt to end the recording");
		wait_for_end(attached, recorder, trace_path);
		take_signals(attached);
	}
	attached->nothing = awake == 0;
	error = attach_end(&attached->target, &attached->masks);
	attach_children_end(attached->target.pid, trace_path);
	return error || attached->nothing ? SPOOR_EXIT_BAD_TRACE : SPOOR_EXIT_GOOD;
}

static int record_with(struct attached *attached, const char *trace_path)
{
	struct recorder_totals totals = { 0 };
	struct recorded_functions *functions = NULL;
	struct record_live *live = NULL;
	struct sched_recording *sched = NULL;
	struct recorder *recorder;
	char recorder_name[RECORDER_NAME_BYTES];
	int status, error;

	limits_raise();
	error = recorder_begin(&recorder, recorder_name, sizeof(recorder_name));
	if (error) {
		message("cannot listen for the process: %s", strerror(-error));
		return SPOOR_EXIT_BAD_TRACE;
	}
	error = recorder_place(recorder, trace_path, namespaces_differ(attached->target.pid, "pid"), recorder_name,
			       sizeof(recorder_name));
	if (error) {
		message("%s: %s", trace_path, strerror(-error));
		recorder_end(recorder, &totals);
		return SPOOR_EXIT_BAD_TRACE;
	}
	recorder_max_rate(recorder, attached->record->max_rate);
	if (!attached->record->no_symbols)
		recorder_functions(recorder, &functions);
	recorder_limit(recorder, attached->record->max_bytes);
	recorder_allow(recorder, attached->target.uid, attached->target.gid);
	status = fill_request(attached, trace_path, recorder_name);
	if (!status)
		status = record_live_begin(&live, &attached->record->live, trace_path, recorder);
	/* Threads that begin while spoor attaches are recorded from the beginning. */
	if (!status && attached->record->sched)
		sched = sched_recording_begin(&(struct sched_request){
			.process_id = attached->target.pid, .runs = true, .trace_path = trace_path,
			.user = attached->target.uid, .group = attached->target.gid, .flags = attached->record->sched_flags,
		});
	if (!status)
		status = trace_process(attached, recorder, trace_path);
	record_live_stop(live);
	sched_recording_end(sched);
	recorder_end(recorder, &totals);
	record_live_end(live);
	totals.full &= !attached->full;
	if (!status || attached->nothing || !trace_directory_is_empty(trace_path))
		record_summary(attached->record, attached->name, &totals, functions);
	recorded_functions_free(functions);
	return status;
}

/* Gives the trace directory to the process's user, who may differ from ours, so that the process can make its
 * folder. */
static int give_to_user(const struct attached *attached, const char *trace_path)
{
	if (attached->target.uid == geteuid() || chown(trace_path, attached->target.uid, attached->target.gid) == 0)
		return 0;
	message("%s: cannot give the trace to the user of process %d: %s", trace_path, (int)attached->target.pid,
		strerror(errno));
	return SPOOR_EXIT_BAD_TRACE;
}

static int find_part(enum spoor_part part, const char *name, char *path, size_t size)
{
	int error = spoor_part_path(part, path, size);

	if (!error)
		return 0;
	message("cannot find %s%s%s: %s", name, *path ? " at " : "", path, strerror(-error));
	return SPOOR_EXIT_BAD_TRACE;
}

static int prepare_and_record(struct attached *attached)
{
	char trace_path[PATH_MAX];
	int status = find_part(SPOOR_PART_RUNTIME, "libspoor.so", attached->library, sizeof(attached->library));

	if (!status && attached->record->tracepoints)
		status = find_part(SPOOR_PART_TRAP, "libspoor_trap.so", attached->trap, sizeof(attached->trap));
	if (status)
		return status;
	if (trace_directory_make(attached->record->trace_path, trace_path, sizeof(trace_path)))
		return SPOOR_EXIT_BAD_TRACE;
	attached->in_container = is_in_container(attached, trace_path);
	if (*attached->trap && !namespaces_same_file(attached->target.pid, attached->trap)) {
		message("tracepoints that need breakpoints are not recorded: process %d is in a container without %s; "
			"mount the file there", (int)attached->target.pid, attached->trap);
		attached->trap[0] = '\0';
	}
	/* If the process does not see the directory, the recorder makes its folder. */
	status = namespaces_same_file(attached->target.pid, trace_path) ? give_to_user(attached, trace_path) : 0;
	if (!status)
		status = record_with(attached, trace_path);
	if (status)
		trace_directory_discard(trace_path);
	return status;
}

static void name_process(struct attached *attached)
{
	char path[64], name[COMMAND_NAME_MAX];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)attached->target.pid);
	command_name(AT_FDCWD, path, name);
	snprintf(attached->name, sizeof(attached->name), "process %d%s%s%s", (int)attached->target.pid, *name ? " (" : "",
		 name, *name ? ")" : "");
}

int record_attached(const struct record *record)
{
	static const int ends[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	struct attached attached = { .record = record, .request = calloc(1, sizeof(*attached.request)) };
	int status = SPOOR_EXIT_BAD_TRACE;
	sigset_t ours, before;

	if (!attached.request) {
		message("out of memory");
		return status;
	}
	if (target_open(&attached.target, record->pid) < 0) {
		free(attached.request);
		return status;
	}
	name_process(&attached);
	sigemptyset(&ours);
	signals_add(&ours, ends, sizeof(ends) / sizeof(*ends));
	sigprocmask(SIG_BLOCK, &ours, &before);
	attached.signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	attached.pidfd = pidfd_open(record->pid, 0);
	if (attached.signals < 0 || attached.pidfd < 0)
		message("cannot watch process %d: %s", (int)record->pid, strerror(errno));
	else
		status = prepare_and_record(&attached);
	take_signals(&attached);
	if (attached.signals >= 0)
		close(attached.signals);
	if (attached.pidfd >= 0)
		close(attached.pidfd);
	sigprocmask(SIG_SETMASK, &before, NULL);
	target_close(&attached.target);
	inject_masks_free(&attached.masks);
	free(attached.request);
	return status;
}
