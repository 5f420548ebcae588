/* SPDX-License-Identifier: MIT */
/* sched_recording.c - the thread of the recorder that writes when other threads run and wait. */
#include "record/sched/sched_recording.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/jobs.h"
#include "base/message.h"
#include "record/sched/descriptor_samples.h"
#include "record/sched/sched_writer.h"
#include "record/sched/system_calls.h"
#include "record/sched/wait_samples.h"
#include "base/system/monotonic.h"

/* How often the rings are read, to find waits in time for a sample; a ring that becomes half full is read earlier. */
#define LOOK_MS 1
#define LOOK_MS_IDLE 8		/* if nothing changed */

struct sched_recording {
	struct perf_rings *rings;
	struct sched_writer writer;
	struct wait_samples samples;
	struct descriptor_samples descriptors;
	pthread_t thread;
	int stop;		/* eventfd */
};

/* Returns whether there were any. */
static bool take_changes(struct sched_recording *recording)
{
	struct perf_taken taken;

	perf_rings_take(recording->rings, &taken);
	for (size_t i = 0; i < taken.call_count; i++) {
		sched_writer_call(&recording->writer, &taken.calls[i]);
		descriptor_samples_note(&recording->descriptors, &taken.calls[i]);
	}
	for (size_t i = 0; i < taken.change_count; i++) {
		sched_writer_add(&recording->writer, &taken.changes[i]);
		wait_samples_note(&recording->samples, &taken.changes[i]);
	}
	if (taken.lost)
		sched_writer_lose(&recording->writer, taken.lost, (uint64_t)monotonic_ns());
	if (taken.lost_calls)
		sched_writer_lose_calls(&recording->writer, taken.lost_calls, (uint64_t)monotonic_ns());
	return taken.change_count || taken.call_count || taken.lost || taken.lost_calls;
}

static void *record_thread(void *argument)
{
	struct sched_recording *recording = argument;

	int wait_ms = LOOK_MS;

	while (!perf_rings_wait(recording->rings, recording->stop, wait_ms)) {
		bool busy = take_changes(recording);

		busy |= descriptor_samples_take(&recording->descriptors, &recording->writer);
		busy |= wait_samples_take(&recording->samples, &recording->writer);
		wait_ms = busy ? LOOK_MS : 2 * wait_ms < LOOK_MS_IDLE ? 2 * wait_ms : LOOK_MS_IDLE;
	}
	take_changes(recording);
	return NULL;
}

/* Returns kernel.perf_event_paranoid; INT_MIN: unknown. */
static int read_paranoid(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int value = INT_MIN;

	if (file && fscanf(file, "%d", &value) != 1)
		value = INT_MIN;
	if (file)
		fclose(file);
	return value;
}

/* Prints which times are missing, why, and how to permit them. */
static void print_refusal(const struct perf_refusal *refusal)
{
	static const char without[] = "calls are recorded without the times that they waited (cpu, wait, preempted, faults); "
				      "--cpu-time records cpu of chosen functions";

	if (refusal->error == EACCES && read_paranoid() > 2)
		message("--sched: the kernel refuses perf events, because kernel.perf_event_paranoid is %d: %s; "
			"'sysctl kernel.perf_event_paranoid=2' or the capability CAP_PERFMON permits them",
			read_paranoid(), without);
	else if (refusal->error == EPERM && strcmp(refusal->call, "mmap") == 0)
		message("--sched: there is not enough lockable memory for the rings of perf events: %s; raise 'ulimit -l' or "
			"kernel.perf_event_mlock_kb", without);
	else if (refusal->error == EPERM)
		message("--sched: perf_event_open is filtered, as in a container: %s; 'docker run --cap-add PERFMON', or a seccomp "
			"profile with perf_event_open, permits it", without);
	else if (refusal->error == EMFILE || refusal->error == ENFILE)
		message("--sched: the process has too many threads for as many descriptors as this user may have: %s; raise "
			"'ulimit -n'", without);
	else if (refusal->error == ENOSYS)
		message("--sched: this kernel has no perf events (CONFIG_PERF_EVENTS): %s", without);
	else
		message("--sched: %s for perf events failed: %s: %s", refusal->call, strerror(refusal->error), without);
}

static const struct {
	uint32_t flag;
	const char *name, *event;
} kinds[] = {
	{ SPOOR_SCHED_HAS_WAKINGS, "wakers", "sched_waking" },
	{ SPOOR_SCHED_HAS_STATES, "states", "sched_switch" },
	{ SPOOR_SCHED_HAS_CALLS, "syscalls", "sys_enter" },
};

#define KIND_COUNT (sizeof(kinds) / sizeof(*kinds))

bool sched_recording_parse(const char *text, uint32_t *flags)
{
	size_t length, i;

	do {
		length = strcspn(text, ",");
		for (i = 0; i < KIND_COUNT; i++)
			if (strlen(kinds[i].name) == length && memcmp(kinds[i].name, text, length) == 0)
				break;
		if (i == KIND_COUNT)
			return false;
		*flags |= kinds[i].flag;
		text += length;
	} while (*text++);
	return true;
}

/* Prints what the kernel refuses to report. */
static void print_missing(uint32_t flags)
{
	char names[64] = "", events[64] = "";

	for (size_t i = 0; i < KIND_COUNT; i++) {
		if (!(flags & kinds[i].flag))
			continue;
		sprintf(names + strlen(names), "%s%s", *names ? "," : "", kinds[i].name);
		sprintf(events + strlen(events), "%s%s", *events ? ", " : "", kinds[i].event);
	}
	if (*names)
		message("--sched=%s: the kernel refuses %s: running and waiting is recorded without these; the capability "
			"CAP_PERFMON, and access to /sys/kernel/tracing, permit them", names, events);
}

struct sched_recording *sched_recording_begin(const struct sched_request *request)
{
	struct sched_recording *recording = calloc(1, sizeof(*recording));
	struct spoor_sched_begin begin = { .flags = request->flags };
	struct perf_refusal refusal;
	int error;

	if (!recording) {
		message("--sched: out of memory");
		return NULL;
	}
	if (perf_rings_open(&recording->rings, request->process_id,
			    request->runs ? PERF_ALL_THREADS : PERF_ONE_THREAD, &begin, &refusal) < 0) {
		print_refusal(&refusal);
		free(recording);
		return NULL;
	}
	error = sched_writer_begin(&recording->writer, request->trace_path, &begin);
	if (error)
		goto close_rings;
	if (begin.flags & SPOOR_SCHED_HAS_CALLS)
		system_calls_write_names(&recording->writer);
	if (request->user != geteuid() && fchown(recording->writer.fd, request->user, request->group) < 0)
		message("%s/" SPOOR_SCHED_FILE ": cannot be given to the user of process %d: %s", request->trace_path,
			(int)request->process_id, strerror(errno));
	print_missing(request->flags & ~begin.flags);
	recording->stop = eventfd(0, EFD_CLOEXEC);
	error = recording->stop < 0 ? -errno : -jobs_thread_begin(&recording->thread, record_thread, recording);
	if (!error)
		return recording;
	if (recording->stop >= 0)
		close(recording->stop);
	sched_writer_end(&recording->writer);
close_rings:
	message("%s: waiting cannot be recorded: %s", request->trace_path, strerror(-error));
	perf_rings_close(recording->rings);
	free(recording);
	return NULL;
}

void sched_recording_end(struct sched_recording *recording)
{
	const struct sched_writer *writer;
	uint64_t one = 1;

	if (!recording)
		return;
	if (write(recording->stop, &one, sizeof(one)) == (ssize_t)sizeof(one))
		pthread_join(recording->thread, NULL);
	writer = &recording->writer;
	sched_writer_end(&recording->writer);
	wait_samples_end(&recording->samples);
	descriptor_samples_end(&recording->descriptors);
	if (writer->error)
		message(SPOOR_SCHED_FILE ": cannot be written: %s", strerror(writer->error));
	if (writer->lost)
		message("%" PRIu64 " of %" PRIu64 " switches and page faults were lost: times of waiting are not exact", writer->lost,
			writer->lost + writer->changes);
	if (writer->lost_calls)
		message("%" PRIu64 " of %" PRIu64 " begins and ends of system calls were lost", writer->lost_calls,
			writer->lost_calls + writer->calls);
	perf_rings_close(recording->rings);
	close(recording->stop);
	free(recording);
}
