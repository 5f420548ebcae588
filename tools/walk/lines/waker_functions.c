/* SPDX-License-Identifier: MIT */
/* waker_functions.c - finds the functions in which threads were when they woke others. */
#include "walk/lines/waker_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "walk/lines/function_text.h"
#include "walk/range_calls.h"

/* A walk that collects the moments, or that finds the functions. */
struct finder {
	struct waker_functions *wakers;
	uint64_t least_ns;
	struct process *process;
	struct replay_texts texts;
	uint32_t *name_of;		/* by function number: position + 1 in `names` */
	uint32_t name_of_count;
	struct call_tree tree;
	struct waker_moment *next, *end;	/* the current thread's moments that the walk has not reached */
	uint32_t *functions;		/* its open calls, by depth */
	size_t depth, room;
	bool out_of_memory;
};

static int compare(const void *left, const void *right)
{
	const struct waker_moment *one = left, *other = right;

	if (one->thread != other->thread)
		return one->thread < other->thread ? -1 : 1;
	return one->time_ns < other->time_ns ? -1 : one->time_ns > other->time_ns;
}

static int begin_process(void *context, struct process *process, struct functions *functions)
{
	struct finder *finder = context;

	finder->process = process;
	finder->texts = (struct replay_texts){ .functions = functions };
	return 0;
}

static int end_process(void *context)
{
	struct finder *finder = context;

	replay_texts_free(&finder->texts);
	free(finder->name_of);
	finder->name_of = NULL;
	finder->name_of_count = 0;
	return finder->out_of_memory ? -ENOMEM : 0;
}

static int add_moment(struct waker_functions *wakers, const struct sched_gap *gap)
{
	if (wakers->count == wakers->capacity) {
		size_t capacity = wakers->capacity ? 2 * wakers->capacity : 256;
		struct waker_moment *moments = reallocarray(wakers->moments, capacity, sizeof(*moments));

		if (!moments)
			return -ENOMEM;
		wakers->moments = moments;
		wakers->capacity = capacity;
	}
	wakers->moments[wakers->count++] = (struct waker_moment){ .time_ns = gap->waking_ns, .thread = gap->waker };
	return 0;
}

/* Collects when the thread was woken. Its events are not read. */
static int collect_moments(void *context, struct thread_events *events)
{
	struct finder *finder = context;
	struct thread_sched sched = { 0 };
	int error = thread_sched_load(&sched, finder->process, events->thread->thread_id);

	for (size_t i = 0; i < sched.gap_count && !error; i++)
		if (sched.gaps[i].waker && sched.gaps[i].begin_ns && sched.gaps[i].end_ns - sched.gaps[i].begin_ns >= finder->least_ns)
			error = add_moment(finder->wakers, &sched.gaps[i]);
	thread_sched_free(&sched);
	return error;
}

/* Returns the position + 1 of a function's name; 0 without memory. */
static uint32_t number_of_name(struct finder *finder, uint32_t function)
{
	struct waker_functions *wakers = finder->wakers;
	const struct function_text *text;

	if (function >= finder->name_of_count) {
		uint32_t count = function < 128 ? 256 : 2 * function;
		uint32_t *list = reallocarray(finder->name_of, count, sizeof(*list));

		if (!list)
			return 0;
		memset(list + finder->name_of_count, 0, (count - finder->name_of_count) * sizeof(*list));
		finder->name_of = list;
		finder->name_of_count = count;
	}
	if (finder->name_of[function])
		return finder->name_of[function];
	if (wakers->name_count == wakers->name_capacity) {
		size_t capacity = wakers->name_capacity ? 2 * wakers->name_capacity : 64;
		char **names = reallocarray(wakers->names, capacity, sizeof(*names));

		if (!names)
			return 0;
		wakers->names = names;
		wakers->name_capacity = capacity;
	}
	text = replay_text(&finder->texts, function);
	wakers->names[wakers->name_count] = strndup(text->text, text->name_length);
	if (!wakers->names[wakers->name_count])
		return 0;
	return finder->name_of[function] = (uint32_t)++wakers->name_count;
}

/* Gives the moments before @time_ns the innermost open call. */
static void reach(struct finder *finder, uint64_t time_ns)
{
	for (; finder->next < finder->end && finder->next->time_ns < time_ns; finder->next++) {
		if (!finder->depth)
			continue;
		finder->next->name = number_of_name(finder, finder->functions[finder->depth - 1]);
		finder->out_of_memory |= !finder->next->name;
	}
}

static void enter(void *context, const struct call *call, size_t depth)
{
	struct finder *finder = context;

	reach(finder, call->begin_ns);
	if (depth >= finder->room) {
		size_t room = depth < 32 ? 64 : 2 * depth;
		uint32_t *functions = reallocarray(finder->functions, room, sizeof(*functions));

		if (!functions) {
			finder->out_of_memory = true;
			return;
		}
		finder->functions = functions;
		finder->room = room;
	}
	finder->functions[depth] = call->function;
	finder->depth = depth + 1;
}

static void leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct finder *finder = context;

	(void)call, (void)how;
	reach(finder, end_ns);
	finder->depth = depth;
}

static bool stop(void *context)
{
	const struct finder *finder = context;

	return finder->out_of_memory || finder->next == finder->end;
}

/* Sets the current thread's moments. Threads of different processes may have had the same ID, one after the other. */
static bool find_moments(struct finder *finder, uint32_t thread)
{
	const struct waker_functions *wakers = finder->wakers;
	size_t low = 0, high = wakers->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (wakers->moments[middle].thread < thread)
			low = middle + 1;
		else
			high = middle;
	}
	finder->next = finder->end = &wakers->moments[low];
	while (finder->end < wakers->moments + wakers->count && finder->end->thread == thread)
		finder->end++;
	return finder->next < finder->end;
}

static int find_functions(void *context, struct thread_events *events)
{
	struct finder *finder = context;
	const struct call_sink calls = { .context = finder, .enter = enter, .leave = leave, .stop = stop };
	int error;

	finder->depth = 0;
	if (!find_moments(finder, events->thread->thread_id))
		return 0;
	error = call_tree_walk(&finder->tree, events, &calls);
	return finder->out_of_memory ? -ENOMEM : error;
}

static void ignore(const char *text)
{
	(void)text;
}

int waker_functions_read(struct waker_functions *wakers, const struct walk_choice *choice, uint64_t least_ns)
{
	struct walk_choice all = *choice;
	struct finder finder = { .wakers = wakers, .least_ns = least_ns };
	struct walk_sink sink = {
		.context = &finder, .takes_counts = true, .process_begin = begin_process, .process_end = end_process,
		.thread_events = collect_moments,
	};
	void (*receiver)(const char *text);

	*wakers = (struct waker_functions){ 0 };
	if (!walk_choice_has_sched(choice))
		return 0;
	receiver = message_diverted();
	message_divert(ignore);
	all.has_range = false;
	all.libraries = all.functions = NULL;
	all.least_ns = 0;
	all.condition = NULL;
	walk_trace(&all, &sink);
	if (wakers->count) {
		qsort(wakers->moments, wakers->count, sizeof(*wakers->moments), compare);
		/* The waking threads may be others. */
		all.process_count = all.thread_count = 0;
		sink.thread_events = find_functions;
		walk_trace(&all, &sink);
	}
	/* The command itself has met no call yet. */
	range_calls_met_none();
	message_divert(receiver);
	/* A walk that ends early does not call process_end. */
	end_process(&finder);
	call_tree_free(&finder.tree);
	free(finder.functions);
	return finder.out_of_memory ? -ENOMEM : 0;
}

const char *waker_functions_find(const struct waker_functions *wakers, const struct sched_gap *gap)
{
	const struct waker_moment sought = { .time_ns = gap->waking_ns, .thread = gap->waker };
	const struct waker_moment *moment = NULL;

	if (wakers->count && gap->waker)
		moment = bsearch(&sought, wakers->moments, wakers->count, sizeof(sought), compare);
	return moment && moment->name ? wakers->names[moment->name - 1] : NULL;
}

void waker_functions_free(struct waker_functions *wakers)
{
	for (size_t i = 0; i < wakers->name_count; i++)
		free(wakers->names[i]);
	free(wakers->names);
	free(wakers->moments);
	*wakers = (struct waker_functions){ 0 };
}
