/* SPDX-License-Identifier: MIT */
/* schedule.c - begins and ends recording while the program is running. */
#include "record/schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/warning.h"
#include "config/configuration.h"
#include "ctl/request.h"
#include "record/descendants.h"
#include "attach/inject/inject.h"
#include "base/message.h"
#include "base/progress.h"
#include "base/system/monotonic.h"

#define TICK_MS 100
#define FAR_NS 60000000000

static int begin_late(struct record_watch *watch)
{
	static struct spoor_configuration configuration;
	char text[24];

	/* Reads the configuration as the program will, which reports errors. */
	spoor_warning_begin();
	if (spoor_configuration_read(&configuration) < 0)
		return SPOOR_EXIT_BAD_TRACE;
	if (configuration.mode == SPOOR_MODE_OFF || configuration.mode == SPOOR_MODE_ORDER)
		return message_usage("--start-after and mode '%s' exclude each other",
				     spoor_configuration_mode_name(configuration.mode));
	watch->mode = spoor_configuration_mode_name(configuration.mode);
	snprintf(text, sizeof(text), "%" PRId64, watch->start_ns);
	if (setenv("SPOOR_RUNTIME_START", text, 1) == 0)
		return 0;
	message("cannot set the program's environment: %s", strerror(errno));
	return SPOOR_EXIT_BAD_TRACE;
}

int record_schedule_begin(struct record_watch *watch, const struct record *record, struct recorder *recorder,
		       const char *variable)
{
	int64_t now = monotonic_ns();

	*watch = (struct record_watch){ .record = record, .recorder = recorder, .variable = variable };
	watch->begun = !record->start_after_ns;
	watch->start_ns = now + record->start_after_ns;
	watch->end_ns = record->duration_ns ? watch->start_ns + record->duration_ns : 0;
	recorder_limit(recorder, record->max_bytes);
	return watch->begun ? 0 : begin_late(watch);
}

void record_schedule_end(struct record_watch *watch)
{
	free(watch->done);
	watch->done = NULL;
}

/* Returns whether the process was not handled yet, and fits the list. */
static bool mark_handled(struct record_watch *watch, pid_t process_id)
{
	for (size_t i = 0; i < watch->done_count; i++)
		if (watch->done[i] == process_id)
			return false;
	if (watch->done_count == watch->done_room) {
		size_t room = watch->done_room ? 2 * watch->done_room : 16;
		pid_t *done = reallocarray(watch->done, room, sizeof(*done));

		if (!done)
			return false;
		watch->done = done;
		watch->done_room = room;
	}
	watch->done[watch->done_count++] = process_id;
	return true;
}

/* The message of the last request. A process that has ended meanwhile makes it irrelevant. */
static char last_message[512];

static void take_message(const char *text)
{
	snprintf(last_message, sizeof(last_message), "%s", text);
}

/* @flush: also writes all its events, and when each thread was last there. */
static void set_mode(pid_t process_id, const char *mode, bool flush)
{
	static const struct spoor_mail flush_mail = { .command = SPOOR_MAIL_FLUSH };
	struct spoor_mail mail = { .command = SPOOR_MAIL_MODE, .modules = "*" };
	struct live_pool live;
	int64_t changed;
	int error;

	snprintf(mail.functions, sizeof(mail.functions), "%s", mode);
	*last_message = '\0';
	message_divert(take_message);
	error = live_pool_open(&live, process_id);
	/* A process that has not loaded the runtime yet knows the time itself, and a process that cannot be
	 * traced is ignored. */
	if (!error && (*live.runtime || live.pool))
		error = control(&live, &mail, mode, &changed);
	if (!error && flush && live.pool)
		control(&live, &flush_mail, "flush", &changed);
	if (!error)
		live_pool_close(&live);
	message_divert(NULL);
	if (error && inject_running_thread(process_id))
		message("process %d: recording could not be %s: %s", (int)process_id,
			strcmp(mode, "off") == 0 ? "stopped, and continues" : "started", last_message);
}

static void wake(void *context, pid_t process_id)
{
	struct record_watch *watch = context;

	if (mark_handled(watch, process_id))
		set_mode(process_id, watch->mode, false);
}

/* Wakes all processes that began before. Repeats, because one may have forked meanwhile. */
static void wake_all(struct record_watch *watch)
{
	size_t before;

	watch->begun = true;
	do {
		before = watch->done_count;
		descendants_for_each(watch->variable, wake, watch);
	} while (watch->done_count != before);
}

/* A full trace has no room for a flush. */
static void put_to_sleep(void *context, pid_t process_id)
{
	const struct record_watch *watch = context;

	set_mode(process_id, "off", !watch->full);
}

static void print_stopped(const struct record_watch *watch, bool full)
{
	if (full)
		message("%s: recording stopped: it has %" PRIu64 " bytes of events, the limit of --max-size; the "
			"program continues", watch->record->trace_path, watch->record->max_bytes);
	else if (!watch->record->quiet)
		message("recording stopped after the time of --duration; the program continues");
}

static void check_end(struct record_watch *watch, int64_t now)
{
	bool full = recorder_is_full(watch->recorder);
	pid_t process_id;

	if (!watch->stopped && (full || (watch->end_ns && now >= watch->end_ns))) {
		watch->stopped = true;
		watch->full = full;
		descendants_for_each(watch->variable, put_to_sleep, watch);
		print_stopped(watch, full);
	}
	while (watch->stopped && (process_id = recorder_next(watch->recorder, &watch->stopped_pool)))
		put_to_sleep(watch, process_id);
}

int record_schedule_show(const struct record *record, struct recorder *recorder)
{
	struct recorder_totals totals;

	if (record->quiet || record->live.wanted || !progress_is_shown())
		return -1;
	recorder_progress(recorder, &totals);
	progress_print("%" PRIu64 " events, %.1f MiB, %" PRIu64 " lost", totals.events, (double)totals.bytes / (1 << 20),
		     totals.lost);
	return TICK_MS;
}

int record_schedule_tick(struct record_watch *watch)
{
	int64_t now = monotonic_ns(), next_ns;
	int shown_ms;

	if (!watch->begun && now >= watch->start_ns)
		wake_all(watch);
	check_end(watch, now);
	shown_ms = record_schedule_show(watch->record, watch->recorder);
	if (watch->stopped || watch->record->max_bytes)
		return TICK_MS;
	next_ns = !watch->begun ? watch->start_ns : watch->end_ns;
	if (!next_ns || shown_ms >= 0)
		return shown_ms;
	/* Rounds up to the next millisecond. Limits the result, because times may be days. */
	return next_ns <= now ? 0 : next_ns - now > FAR_NS ? (int)(FAR_NS / 1000000) : (int)((next_ns - now) / 1000000) + 1;
}
