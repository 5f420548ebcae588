/* SPDX-License-Identifier: MIT */
/* top_sample.c - samples calls and times of a process's functions in each interval. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "format/status_page_format.h"
#include "attach/inject/inject.h"
#include "base/message.h"
#include "reader/files/printable_text.h"
#include "live/top.h"
#include "walk/totals.h"

/* Reading a trace from its beginning finds all calls that are open now. For this size it takes about a second. */
#define WHOLE_BYTES (64u << 20)

static uint64_t lost_so_far(const struct spoor_pool *pool)
{
	uint64_t lost = 0;

	for (uint32_t cause = 0; pool && cause < SPOOR_LOSS_COUNT; cause++)
		lost += __atomic_load_n(&pool->lost[cause], __ATOMIC_RELAXED);
	return lost;
}

static void take_status_page(struct top *top, const struct live_pool *pool)
{
	const struct spoor_status_page *status_page = spoor_pool_status_page(pool->pool);

	snprintf(top->folder, sizeof(top->folder), "%.*s", (int)sizeof(status_page->folder) - 1, status_page->folder);
	snprintf(top->mode, sizeof(top->mode), "%.*s", (int)sizeof(status_page->mode.text) - 1, status_page->mode.text);
	clean_name(top->mode);
	top->recorder = pool->recorder;
}

/* Opens the process's folder by a path that works for us. Returns 0 or an exit status. */
static int follow_folder(struct top *top, const struct live_pool *pool)
{
	const char *slash = strrchr(top->folder, '/');
	char parent[PATH_MAX + 96];
	int directory, error;

	if (!slash) {
		message("process %d has no path of its trace in its status page", (int)top->process_id);
		return SPOOR_EXIT_BAD_TRACE;
	}
	/* The process may have another root directory. */
	snprintf(parent, sizeof(parent), "%s/root%.*s/", pool->thread, (int)(slash - top->folder), top->folder);
	directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	error = directory < 0 ? -errno : follow_begin(&top->follow, directory, slash + 1, top->folder, pool, WHOLE_BYTES,
						      &top->symbols);
	if (directory >= 0)
		close(directory);
	if (!error)
		return 0;
	message("%s: cannot read the trace of process %d: %s", clean_name(top->folder), (int)top->process_id,
		strerror(-error));
	return SPOOR_EXIT_BAD_TRACE;
}

int top_open(struct top *top)
{
	int process_id = (int)top->process_id, status;
	struct live_pool pool;

	if (live_pool_open(&pool, top->process_id))
		return SPOOR_EXIT_BAD_TRACE;
	if (!*pool.runtime && !pool.pool) {
		message("process %d has no libspoor.so: record it first, by 'spoor record --pid %d --mode ring -o "
			"TRACE', or start it with spoor record", process_id, process_id);
		return SPOOR_EXIT_BAD_TRACE;
	}
	if (!pool.pool) {
		message("process %d " LIVE_POOL_NONE ": record it first, by 'spoor record --pid %d --mode ring -o "
			"TRACE'", process_id, process_id);
		return SPOOR_EXIT_BAD_TRACE;
	}
	take_status_page(top, &pool);
	status = follow_folder(top, &pool);
	if (status)
		live_pool_close(&pool);
	return status;
}

void top_close(struct top *top)
{
	follow_end(&top->follow);
	symbol_cache_free(&top->symbols);
	top->symbols = (struct symbol_cache){ .demangle = top->symbols.demangle };
	top->since_ns = 0;
}

/* In other modes it is unknown whether open calls continue. */
static bool stores_events(const struct top *top)
{
	return strcmp(top->mode, "log") == 0 || strcmp(top->mode, "ring") == 0;
}

/* Reports one thread's calls within the interval. Returns the number of events, or a negative errno. */
static long report_thread(struct top *top, struct follow_thread *thread, const struct call_sink *calls)
{
	bool stores = stores_events(top);
	const struct event *event;
	long events = 0;
	int more = follow_peek(thread, &event);

	if (!top->since_ns || (more <= 0 && !stores))
		calls = &call_sink_ignoring;
	call_tree_resume(&thread->tree, calls, top->since_ns);
	for (; more > 0; more = follow_peek(thread, &event)) {
		int error = call_tree_take(&thread->tree, event, calls);

		follow_take(thread);
		if (error < 0)
			return error;
		events++;
	}
	call_tree_pause(&thread->tree, calls, stores ? top->follow.until_ns : thread->tree.last_ns);
	return more < 0 ? more : events;
}

/* Returns whether the process has executed another program, which has another trace. */
static bool is_another(struct top *top)
{
	struct live_pool pool;
	bool another;

	if (live_pool_open(&pool, top->process_id) || !pool.pool)
		return false;
	another = strncmp(spoor_pool_status_page(pool.pool)->folder, top->folder, sizeof(top->folder)) != 0;
	live_pool_close(&pool);
	return another;
}

static void put_rate(struct output *out, uint64_t number, uint64_t ns)
{
	output_grouped(out, ns ? (uint64_t)((double)number * 1e9 / (double)ns + 0.5) : 0, 0);
}

/* Writes a line about the process and its recording. */
static void put_process(struct top *top, struct output *out)
{
	time_t now = time(NULL);
	struct tm local;
	char text[16] = "";

	if (localtime_r(&now, &local))
		strftime(text, sizeof(text), "%H:%M:%S", &local);
	output_string(out, "spoor top - ");
	output_string(out, text);
	output_string(out, "  process ");
	output_number(out, (uint64_t)top->process_id);
	output_char(out, ' ');
	output_string(out, process_title(&top->follow.process));
	output_string(out, ", mode ");
	output_string(out, top->mode);
	if (top->recorder) {
		output_string(out, ", written by spoor record, process ");
		output_number(out, (uint64_t)top->recorder);
	} else {
		output_string(out, ", written by its service thread");
	}
	output_char(out, '\n');
}

static void put_interval(struct top *top, struct output *out, uint64_t events, size_t threads)
{
	uint64_t ns = top->follow.until_ns - top->since_ns;
	uint64_t lost = top->follow.pool.pool ? lost_so_far(top->follow.pool.pool) : top->lost;

	output_milliseconds(out, ns / 1000000 * 1000000);
	out->used -= strlen(".000000");
	output_string(out, " ms: ");
	output_grouped(out, events, 0);
	output_string(out, " events of ");
	output_number(out, threads);
	output_string(out, threads == 1 ? " thread, " : " threads, ");
	put_rate(out, events, ns);
	output_string(out, " a second; ");
	output_grouped(out, lost - top->lost, 0);
	output_string(out, " lost, ");
	output_grouped(out, lost, 0);
	output_string(out, " in total\n\n");
	top->lost = lost;
}

/* Writes the functions of the interval. Returns 0 or a negative errno. */
static int write_interval(struct top *top, struct output *out)
{
	struct totals totals = { .patterns = top->patterns, .table.look = top->look };
	const struct call_sink calls = totals_calls(&totals);
	uint64_t events = 0;
	size_t threads = 0;
	long told = 0;

	totals_process_begin(&totals, &top->follow.process, &top->follow.functions);
	for (size_t i = 0; i < top->follow.thread_count && told >= 0; i++) {
		struct call_tree *tree = &top->follow.threads[i]->tree;
		uint64_t losses = tree->losses, gaps = tree->gaps;

		told = report_thread(top, top->follow.threads[i], &calls);
		if (told < 0)
			break;
		events += (uint64_t)told;
		threads += told > 0;
		totals.table.losses += tree->losses - losses;
		totals.table.gaps += tree->gaps - gaps;
	}
	totals_process_end(&totals);
	if (told >= 0 && top->since_ns) {
		put_process(top, out);
		put_interval(top, out, events, threads);
		report_table_write(&totals.table, out);
	}
	totals_free(&totals);
	/* The trace may have ended because the process executed another program. */
	if (told >= 0 && !events && top->since_ns && !top->has_ended && is_another(top)) {
		top_close(top);
		return top_open(top) ? -ESRCH : 0;
	}
	return told < 0 ? (int)told : 0;
}

/* Returns whether the trace is complete: the recorder's thread for the pool ends when everything is written. */
static bool is_over(const struct top *top)
{
	const struct spoor_pool *pool = top->follow.pool.pool;

	return !inject_running_thread(top->process_id) &&
	       (!pool || !top->recorder || __atomic_load_n(&pool->recorder, __ATOMIC_ACQUIRE) & FUTEX_OWNER_DIED ||
		(kill(top->recorder, 0) < 0 && errno == ESRCH));
}

bool top_awaits_recorder(const struct top *top)
{
	return !inject_running_thread(top->process_id) && !is_over(top);
}

int top_look(struct top *top, struct output *out)
{
	bool last = is_over(top);
	int error;

	if (top->follow.pool.pool)
		take_status_page(top, &top->follow.pool);
	error = follow_look(&top->follow, last);
	if (error)
		return error;
	top->has_ended = last;
	if (last)
		top->follow.until_ns = (uint64_t)top->follow.look_ns;
	if (!top->since_ns)
		top->lost = lost_so_far(top->follow.pool.pool);
	error = write_interval(top, out);
	top->since_ns = top->follow.until_ns;
	return error;
}
