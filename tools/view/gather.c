/* SPDX-License-Identifier: MIT */
/* gather.c - reads a trace and fills a view's store. */
#include "view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/events/tracepoint_events.h"
#include "reader/events/user_events.h"
#include "view/call_texts.h"
#include "view/serve.h"
#include "view/thread_waits.h"

#define RESOLUTION_MIN_NS 128u	/* the first resolution above 0 */

static uint32_t add_node(struct view *view, uint32_t parent, uint32_t name)
{
	if (view->node_count == view->node_capacity) {
		uint32_t capacity = view->node_capacity ? 2 * view->node_capacity : 1024;
		struct view_node *nodes = reallocarray(view->nodes, capacity, sizeof(*nodes));

		if (!nodes || capacity < view->node_capacity)
			view_no_memory();
		view->nodes = nodes;
		view->node_capacity = capacity;
	}
	view->nodes[view->node_count] = (struct view_node){
		.parent = parent, .name = name,
		.lane = parent == VIEW_NODE_MARKS || view->node_count <= VIEW_NODE_MARKS ? 0 : view->nodes[parent].lane + 1,
	};
	return view->node_count++;
}

/*
 * Returns the node of the function @name called from @parent, which is made if it is new. If the
 * number of nodes has reached its limit, the callees of @parent share one node named VIEW_NAME_BEYOND,
 * and that node has no children: then returns VIEW_NODE_NONE.
 */
static uint32_t child_of(struct view *view, uint32_t parent, uint32_t name)
{
	uint32_t latest, *child;

	if (parent == VIEW_NODE_NONE || (parent > VIEW_NODE_MARKS && view->nodes[parent].name == VIEW_NAME_BEYOND))
		return VIEW_NODE_NONE;
	latest = view->nodes[parent].latest;
	if (latest && view->nodes[latest].name == name)
		return latest;
	child = map64_at(&view->children, (uint64_t)parent << 32 | name);
	if (!child)
		view_no_memory();
	if (!*child && view->node_count >= view->node_limit && name != VIEW_NAME_BEYOND && parent != VIEW_NODE_MARKS) {
		uint32_t beyond = child_of(view, parent, VIEW_NAME_BEYOND);

		/* The recursive call may have moved the map. */
		child = map64_at(&view->children, (uint64_t)parent << 32 | name);
		*child = beyond;
	}
	if (!*child)
		*child = add_node(view, parent, name);
	return view->nodes[parent].latest = *child;
}

static void store_item(void *context, struct view_item *item)
{
	struct view *view = context;

	if (view->served)
		view_maker_add(view->served->maker, item);
	else
		view_store_add(&view->store, item);
	view->threads[view->thread_count - 1].items++;
}

void view_coarsen(struct view *view, unsigned int times)
{
	uint32_t threads = view->thread_count;

	while (times || view->store.bytes > view->store_limit / 8 * 5) {
		struct view_store before;
		struct view_reader reader;
		uint64_t resolution_ns = view->merger.resolution_ns;

		times -= times != 0;
		view_merger_flush(&view->merger);
		if (resolution_ns >> 62)
			return;
		view->merger.resolution_ns = resolution_ns ? 2 * resolution_ns : RESOLUTION_MIN_NS;
		before = view->store;
		view->store = (struct view_store){ 0 };
		view_reader_begin(&reader, &before, true);
		/* store_item adds to the items of the last thread. */
		for (view->thread_count = 1; view->thread_count <= threads; view->thread_count++) {
			struct view_thread *thread = &view->threads[view->thread_count - 1];
			uint64_t items = thread->items;

			thread->items = 0;
			view_store_begin_thread(&view->store);
			view_reader_begin_thread(&reader);
			while (items--) {
				struct view_item *item = view_reader_next(&reader);

				view_item_place(view, item);
				view_merger_add(&view->merger, item);
			}
			view_merger_flush(&view->merger);
		}
		view->thread_count = threads;
		view_reader_end(&reader);
	}
}

static void add_item(struct view *view, struct view_item *item)
{
	if (item->begin_ns < view->begin_ns)
		view->begin_ns = item->begin_ns;
	if (item->end_ns > view->end_ns)
		view->end_ns = item->end_ns;
	if (item->lane >= view->threads[view->thread_count - 1].lanes)
		view->threads[view->thread_count - 1].lanes = item->lane + 1;
	view_merger_add(&view->merger, item);
	if (__builtin_expect(view->store.bytes > view->store_limit, 0))
		view_coarsen(view, 1);
}

/* Returns the name of a function: the number of its row, from 1. */
static uint32_t name_of(struct view *view, uint32_t function)
{
	if (function >= view->name_of_count) {
		uint32_t count = function < 128 ? 256 : 2 * function;
		uint32_t *names = reallocarray(view->name_of, count, sizeof(*names));

		if (!names)
			view_no_memory();
		memset(names + view->name_of_count, 0, (count - view->name_of_count) * sizeof(*names));
		view->name_of = names;
		view->name_of_count = count;
	}
	if (!view->name_of[function])
		view->name_of[function] = (uint32_t)totals_row(&view->totals, function) + 1;
	return view->name_of[function];
}

static void view_enter(void *context, const struct call *call, size_t depth)
{
	struct view *view = context;
	uint32_t node;

	view->counts.enter(&view->totals, call, depth);
	view_waits_until(view->waits, view, call->begin_ns, depth);
	if (depth >= view->path_capacity) {
		view->path_capacity = 2 * (uint32_t)depth + 256;
		view->path_of = reallocarray(view->path_of, view->path_capacity, sizeof(*view->path_of));
		if (!view->path_of)
			view_no_memory();
	}
	node = child_of(view, depth ? view->path_of[depth - 1] : VIEW_NODE_ROOT, name_of(view, call->function));
	view->path_of[depth] = node;
	view->events++;
}

static void view_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct view *view = context;
	uint32_t node = view->path_of[depth];
	uint64_t duration_ns = call_duration(call, end_ns);
	struct view_entry entry = { .node = node, .calls = !call->resumed, .total_ns = duration_ns,
				    .least = view_log(duration_ns), .most = view_log(duration_ns) };
	struct view_item item = { .begin_ns = call->begin_ns, .end_ns = call->begin_ns + duration_ns, .entry_count = 1,
				  .entries = &entry };

	view->counts.leave(&view->totals, call, depth, end_ns, how);
	view_waits_until(view->waits, view, end_ns, depth + 1);
	view->events++;
	if (node == VIEW_NODE_NONE)
		return;
	item.flags = how | (call->root ? VIEW_ROOT : 0) | (call->resumed ? VIEW_RESUMED : 0) |
		     (call->unreliable ? VIEW_UNRELIABLE : 0) | (call->early ? VIEW_EARLY : 0);
	item.string = view_call_texts_add(view, call);
	item.flags |= item.string ? VIEW_TEXTS : 0;
	item.lane = view->nodes[node].lane;
	view->nodes[node].calls += entry.calls;
	view->nodes[node].total_ns += duration_ns;
	add_item(view, &item);
}

/* Returns the label of a mark, without its numbers, and its @kind. */
static const char *mark_label(struct view *view, const struct event *event, const char **kind, char *text, size_t size)
{
	const char *name = event->kind == EVENT_USER ? user_event_name(view->process, event->user_type) : NULL;
	size_t type;

	*kind = event->kind == EVENT_TRACEPOINT ? "tracepoint" : event->kind == EVENT_LOST ? "lost" :
		event->kind != EVENT_USER ? "orphan" : user_event_is_counter(view->process, event, &type) ? "counter" : "user";
	if (event->kind == EVENT_TRACEPOINT)
		return function_name(view->functions, event->function);
	if (name)
		return name;
	if (event->kind == EVENT_USER)
		snprintf(text, size, "user event 0x%08" PRIx32, event->user_type);
	else if (event->kind != EVENT_LOST)
		snprintf(text, size, "return from %s, which has no entry in the trace",
			 function_name(view->functions, event->function));
	else if (event->cause == EVENT_LOST_SLICES)
		return "slices of events missing";
	else if (event->cause == EVENT_LOST_OVERWRITTEN)
		return "slices of events overwritten";
	else if (event->cause == EVENT_LOST_UNRECORDED)
		return *kind = "gap", "recording continues";
	else if (event->cause == EVENT_LOST_UNREADABLE)
		return "a slice of events cannot be unpacked";
	else
		return "events lost";
	return text;
}

/*
 * Stores the first argument, its kind, and the number of arguments. The exports have all arguments.
 * Text is not stored: a page keeps each text in memory, and each hit may have another one.
 */
static void put_tracepoint(const struct spoor_tracepoint_event *tracepoint, uint64_t payload[2])
{
	struct tracepoint_argument argument = { 0 };
	char text[TRACEPOINT_ARGUMENT_MAX];
	double real;

	if (tracepoint->count)
		argument = tracepoint_argument(tracepoint, 0);
	payload[0] = argument.value;
	payload[1] = (uint64_t)tracepoint->count << 2 | argument.kind;
	if (argument.kind != TRACEPOINT_REAL)
		return;
	/* A 32-bit float becomes the double with the same short decimal text. */
	tracepoint_argument_text(&argument, text);
	real = strtod(text, NULL);
	memcpy(&payload[0], &real, sizeof(real));
}

static void view_other(void *context, const struct event *event, size_t depth)
{
	struct view *view = context;
	char text[USER_EVENT_TEXT_MAX];
	const char *kind, *label = mark_label(view, event, &kind, text, sizeof(text));
	const char *string = event->kind == EVENT_USER ? user_event_string(view->process, event) : NULL;
	uint32_t number = name_table_add(&view->labels, label, kind);
	struct view_entry entry = { .calls = 1 };
	struct view_item item = { .begin_ns = event->time_ns, .end_ns = event->time_ns, .flags = VIEW_PAYLOAD,
				  .entry_count = 1, .entries = &entry };

	(void)depth;
	if (!number)
		view_no_memory();
	entry.node = child_of(view, VIEW_NODE_MARKS, number);
	view->nodes[entry.node].calls++;
	if (event->kind == EVENT_USER) {
		item.payload[0] = event->user_payload_1;
		item.payload[1] = event->user_payload_2;
	} else if (event->kind == EVENT_LOST) {
		item.payload[0] = event->count;
	} else if (event->kind == EVENT_TRACEPOINT) {
		put_tracepoint(event->tracepoint, item.payload);
	}
	if (string) {
		item.string = name_table_add(&view->strings, string, "");
		if (!item.string)
			view_no_memory();
	}
	view->events++;
	add_item(view, &item);
}

static int view_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct view *view = context;
	struct view_process *processes = reallocarray(view->processes, view->process_count + 1, sizeof(*processes));

	if (!processes)
		view_no_memory();
	view->processes = processes;
	processes[view->process_count] = (struct view_process){ strdup(process_title(process)), process->process_id };
	if (!processes[view->process_count++].title)
		view_no_memory();
	view->process = process;
	view->functions = functions;
	free(view->name_of);
	view->name_of = NULL;
	view->name_of_count = 0;
	return totals_process_begin(&view->totals, process, functions);
}

static int view_process_end(void *context)
{
	struct view *view = context;

	totals_process_end(&view->totals);
	return 0;
}

static int view_thread_begin(void *context, const struct thread_slices *thread)
{
	struct view *view = context;

	if (view->thread_count == view->thread_capacity) {
		uint32_t capacity = view->thread_capacity ? 2 * view->thread_capacity : 64;
		struct view_thread *threads = reallocarray(view->threads, capacity, sizeof(*threads));

		if (!threads)
			view_no_memory();
		view->threads = threads;
		view->thread_capacity = capacity;
	}
	view->threads[view->thread_count] = (struct view_thread){
		.name = strdup(thread->name ? thread->name : process_title(view->process)),
		.process = view->process_count - 1, .thread_id = thread->thread_id,
	};
	if (!view->threads[view->thread_count++].name)
		view_no_memory();
	view_store_begin_thread(&view->store);
	if (view->served) {
		view->served->chunks.texts = &view->texts;
		view_maker_begin_thread(view->served->maker, view->thread_count - 1);
	}
	return view_waits_begin_thread(view->waits, view->process, thread->thread_id);
}

static int view_thread_end(void *context, const struct call_tree *tree)
{
	struct view *view = context;
	struct view_thread *thread = &view->threads[view->thread_count - 1];

	view_merger_flush(&view->merger);
	view_waits_advance(view->waits, view, UINT64_MAX, 0);
	if (view->served)
		view_maker_end_thread(view->served->maker);
	totals_thread_end(&view->totals, tree);
	thread->losses = tree->losses;
	thread->gaps = tree->gaps;
	thread->orphans = tree->orphans;
	thread->repaired = tree->repaired;
	thread->roots = tree->roots;
	/* After a write error the rest of the trace need not be read. */
	view->error = view->served ? view_served_error(view->served) : 0;
	return view->error ? -EPIPE : 0;
}

static void view_trace_begin(void *context, struct walk *walk)
{
	((struct view *)context)->walk = walk;
}

static int view_trace_end(void *context)
{
	struct view *view = context;

	/* No chosen process or thread was found: do not replace an older page. */
	if (!view->process_count || walk_met_none(view->walk))
		return 0;
	if (view->begin_ns > view->end_ns)	/* there are no items */
		view->begin_ns = view->end_ns = view->walk->origin_ns;
	view->error = view->served ? view_served_end(view) : view_write(view);
	view->written = !view->error;
	return 0;
}

void view_gather(struct view *view, struct walk_sink *sink)
{
	*sink = (struct walk_sink){
		.context = view,
		.takes_counts = true,
		.trace_begin = view_trace_begin,
		.process_begin = view_process_begin,
		.process_end = view_process_end,
		.thread_begin = view_thread_begin,
		.thread_end = view_thread_end,
		.trace_end = view_trace_end,
		.calls = { .context = view, .enter = view_enter, .leave = view_leave, .other = view_other,
			   .other_has_no_place = true },	/* marks have a separate lane */
	};
	view->totals.wants_places = true;
	view->counts = totals_calls(&view->totals);
	view->merger.emit = store_item;
	view->merger.context = view;
	view->begin_ns = UINT64_MAX;
	view->store_limit = 2 * view->max_bytes + (1u << 20);
	view->node_limit = (uint32_t)(view->max_bytes / 40 < 1u << 30 ? view->max_bytes / 40 : 1u << 30);
	add_node(view, VIEW_NODE_NONE, 0);
	add_node(view, VIEW_NODE_NONE, 0);
}

void view_free(struct view *view)
{
	for (uint32_t i = 0; i < view->thread_count; i++)
		free(view->threads[i].name);
	for (uint32_t i = 0; i < view->process_count; i++)
		free(view->processes[i].title);
	view_store_free(&view->store);
	view_merger_free(&view->merger);
	totals_free(&view->totals);
	name_table_free(&view->labels);
	name_table_free(&view->strings);
	free(view->texts.bytes);
	free(view->text_pairs.bytes);
	map64_free(&view->children);
	free(view->threads);
	free(view->processes);
	free(view->nodes);
	free(view->path_of);
	free(view->name_of);
}
