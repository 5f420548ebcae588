/* SPDX-License-Identifier: MIT */
/* reading.c - opens traces for the tests of the reader, and writes their calls as text. */
#include "tests/unit/support/reading.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char text[1 << 17];
static size_t used;
static bool durations;
static struct functions functions;
static struct time_range range;

const char *reading_folder(void)
{
	static char folder[64];

	strcpy(folder, "/tmp/spoor-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	return folder;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status, (void)type, (void)where;
	return remove(path);
}

void reading_remove(const char *folder)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void reading_open(const char *folder, struct trace *trace, struct process *process)
{
	ck_assert_int_eq(trace_open(trace, folder, true), 0);
	ck_assert_uint_eq(trace->count, 1);
	ck_assert_int_eq(trace_open_process(trace, 0, process), 0);
}

void reading_close(struct trace *trace, struct process *process)
{
	process_close(process);
	trace_close(trace);
}

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	used += (size_t)vsnprintf(text + used, sizeof(text) - used, format, arguments);
	va_end(arguments);
	ck_assert_uint_lt(used, sizeof(text));
}

/* Adds a blank between two calls of the same caller. */
static void add_blank(void)
{
	if (used && text[used - 1] != '(')
		add(" ");
}

static void enter(void *context, const struct call *call, size_t depth)
{
	(void)context, (void)depth;
	if (durations)
		return;
	add_blank();
	add("%s%" PRIu64 "(", call->early ? "<" : call->root ? "@" : "", functions.list[call->function].id);
}

static void leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	static const char *const marks[] = { "", ">", "*", "/", "~", "|", "?", "+" };

	(void)context, (void)depth;
	if (durations) {
		add_blank();
		add("%" PRIu64, call_duration(call, end_ns));
		return;
	}
	if (text[used - 1] == '(')
		used--;
	else
		add(")");
	add("%s%s", marks[how], call->unreliable ? "%" : "");
}

static void other(void *context, const struct event *event, size_t depth)
{
	(void)context, (void)depth;
	if (durations)
		return;
	add_blank();
	if (event->kind == EVENT_LOST)
		add("!%" PRIu32 ":%" PRIu64, event->cause, event->count);
	else if (event->kind == EVENT_USER)
		add("$%" PRIu32, event->user_type);
	else
		add("^%" PRIu64, functions.list[event->function].id);
}

static const char *walk(struct process *process, size_t thread)
{
	const struct call_sink sink = { .enter = enter, .leave = leave, .other = other };
	struct call_tree tree = { 0 };
	struct thread_events events;

	used = 0;
	text[0] = '\0';
	ck_assert_uint_lt(thread, process->threads.count);
	ck_assert_int_eq(functions_begin(&functions, process), 0);
	thread_events_begin(&events, process, &functions, process->threads.threads[thread]);
	events.range = range.end_ns ? &range : NULL;
	ck_assert_int_eq(call_tree_walk(&tree, &events, &sink), 0);
	ck_assert_uint_eq(tree.depth, 0);
	thread_events_end(&events);
	call_tree_free(&tree);
	functions_end(&functions);
	return text;
}

const char *reading_calls(struct process *process, size_t thread)
{
	durations = false;
	return walk(process, thread);
}

const char *reading_durations(struct process *process, size_t thread)
{
	durations = true;
	return walk(process, thread);
}

void reading_only(uint64_t begin_ns, uint64_t end_ns)
{
	range = (struct time_range){ begin_ns, end_ns };
}
