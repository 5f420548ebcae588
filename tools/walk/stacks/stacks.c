/* SPDX-License-Identifier: MIT */
/* stacks.c - collects the calls of a trace in a tree of call paths. */
#include "walk/stacks/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "walk/pattern_options.h"
#include "walk/stacks/stacks_cpu_time.h"
#include "walk/stacks/stacks_sched.h"

static void no_memory(void)
{
	message("out of memory for the call paths");
	exit(SPOOR_EXIT_BAD_TRACE);
}

static uint32_t add_node(struct stacks *stacks, uint32_t parent, uint32_t name)
{
	if (stacks->count == stacks->capacity) {
		uint32_t capacity = stacks->capacity ? 2 * stacks->capacity : 1024;
		struct stack_node *nodes = reallocarray(stacks->nodes, capacity, sizeof(*nodes));

		if (!nodes || capacity < stacks->capacity)
			no_memory();
		stacks->nodes = nodes;
		if (stacks->wants_spent) {
			struct stack_spent *spent = reallocarray(stacks->spent, capacity, sizeof(*spent));

			if (!spent)
				no_memory();
			memset(spent + stacks->count, 0, (capacity - stacks->count) * sizeof(*spent));
			stacks->spent = spent;
		}
		stacks->capacity = capacity;
	}
	stacks->nodes[stacks->count] = (struct stack_node){
		.parent = parent, .name = name, .depth = stacks->count ? stacks->nodes[parent].depth + 1 : 0,
	};
	return stacks->count++;
}

static uint32_t child_of(struct stacks *stacks, uint32_t parent, uint32_t name)
{
	uint32_t latest = stacks->nodes[parent].latest, *child;

	if (latest && stacks->nodes[latest].name == name)
		return latest;
	child = map64_at(&stacks->children, (uint64_t)parent << 32 | name);
	if (!child)
		no_memory();
	if (!*child)
		*child = add_node(stacks, parent, name);
	return stacks->nodes[parent].latest = *child;
}

uint32_t stacks_child(struct stacks *stacks, uint32_t parent, const char *function, const char *library)
{
	uint32_t name = name_table_add(&stacks->names, function, library);

	if (!name)
		no_memory();
	return child_of(stacks, parent, stacks->is_part ? name | STACKS_NAMED : name);
}

/* Marks a name if a function of that name matches the patterns. */
static void mark_if_matching(struct stacks *stacks, uint32_t name)
{
	if (name >= stacks->marked_capacity) {
		uint32_t capacity = 2 * name + 64;
		bool *marked = reallocarray(stacks->marked, capacity, sizeof(*marked));

		if (!marked)
			no_memory();
		memset(marked + stacks->marked_capacity, 0, (capacity - stacks->marked_capacity) * sizeof(*marked));
		stacks->marked = marked;
		stacks->marked_capacity = capacity;
	}
	stacks->marked[name] = true;
}

static void note_place(struct stacks *stacks, uint32_t name, uint32_t function)
{
	if (name >= stacks->place_capacity) {
		uint32_t capacity = name < 128 ? 256 : 2 * name;
		struct symbol_place *places = reallocarray(stacks->places, capacity, sizeof(*places));

		if (!places)
			no_memory();
		memset(places + stacks->place_capacity, 0, (capacity - stacks->place_capacity) * sizeof(*places));
		stacks->places = places;
		stacks->place_capacity = capacity;
	}
	if (!stacks->places[name].path)
		stacks->places[name] = function_place(stacks->functions, function);
}

static void note_long_name(struct stacks *stacks, uint32_t name, uint32_t function)
{
	if (name >= stacks->long_name_capacity) {
		uint32_t capacity = name < 128 ? 256 : 2 * name;
		char **names = reallocarray(stacks->long_names, capacity, sizeof(*names));

		if (!names)
			no_memory();
		memset(names + stacks->long_name_capacity, 0, (capacity - stacks->long_name_capacity) * sizeof(*names));
		stacks->long_names = names;
		stacks->long_name_capacity = capacity;
	}
	if (!stacks->long_names[name])
		stacks->long_names[name] = strdup(function_name(stacks->functions, function));
	if (!stacks->long_names[name])
		no_memory();
}

/* Returns the name of a function. Looks each function up once. */
static uint32_t name_of(struct stacks *stacks, uint32_t function)
{
	const char *name;

	if (stacks->is_part)
		return function;
	if (function >= stacks->name_of_count) {
		uint32_t count = function < 128 ? 256 : 2 * function;
		uint32_t *names = reallocarray(stacks->name_of, count, sizeof(*names));

		if (!names)
			no_memory();
		memset(names + stacks->name_of_count, 0, (count - stacks->name_of_count) * sizeof(*names));
		stacks->name_of = names;
		stacks->name_of_count = count;
	}
	if (!stacks->name_of[function]) {
		name = (stacks->short_names ? function_short_name : function_name)(stacks->functions, function);
		stacks->name_of[function] = name_table_add(&stacks->names, name, function_library(stacks->functions, function));
		if (!stacks->name_of[function])
			no_memory();
		if (stacks->patterns && function_matches(stacks->functions, function, stacks->patterns))
			mark_if_matching(stacks, stacks->name_of[function]);
		if (stacks->wants_places)
			note_place(stacks, stacks->name_of[function], function);
		if (stacks->wants_long_names)
			note_long_name(stacks, stacks->name_of[function], function);
	}
	return stacks->name_of[function];
}

void stacks_enter(void *context, const struct call *call, size_t depth)
{
	struct stacks *stacks = context;
	uint32_t parent, node;

	if (stacks_sched_is_wanted(stacks))
		stacks_sched_spend(stacks, call->begin_ns, depth);

	if (depth + 2 > stacks->path_capacity) {
		stacks->path = reallocarray(stacks->path, 2 * (depth + 2), sizeof(*stacks->path));
		if (!stacks->path)
			no_memory();
		stacks->path_capacity = 2 * (depth + 2);
	}
	parent = stacks->path[depth];
	if (!stacks->depth_max || stacks->nodes[parent].depth < stacks->depth_max)
		node = child_of(stacks, parent, name_of(stacks, call->function));
	else if (stacks->nodes[parent].depth == stacks->depth_max)
		node = stacks_child(stacks, parent, "[deeper]", "");
	else
		node = parent;
	stacks->path[depth + 1] = node;
	stacks->nodes[node].calls += !call->resumed;
}

/* For a call of which more than its duration is wanted. */
static __attribute__((noinline)) void measure(struct stacks *stacks, const struct call *call, size_t depth, uint64_t end_ns)
{
	if (stacks_sched_is_wanted(stacks))
		stacks_sched_spend(stacks, end_ns, depth + 1);
	if (stacks_cpu_time_is_used(stacks) && stacks_cpu_time_leave(stacks, call, depth, call_duration(call, end_ns)) < 0)
		no_memory();
}

static void stacks_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct stacks *stacks = context;
	uint64_t duration_ns = call_duration(call, end_ns);

	(void)how;
	if (!stacks->time && duration_ns > call->inner_ns)
		stacks->nodes[stacks->path[depth + 1]].self_ns += duration_ns - call->inner_ns;
	if (stacks_sched_is_wanted(stacks) || stacks->wants_stored)
		measure(stacks, call, depth, end_ns);
}

int stacks_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct stacks *stacks = context;

	if (!stacks->program)
		stacks->program = strdup(process_title(process));
	stacks->functions = functions;
	free(stacks->name_of);
	stacks->name_of = NULL;
	stacks->name_of_count = 0;
	return 0;
}

int stacks_thread_begin(void *context, const struct thread_slices *thread)
{
	struct stacks *stacks = context;
	int error;

	stacks->path[0] = 0;
	if (stacks->by_thread)
		stacks->path[0] = stacks_child(stacks, 0, thread->name ? thread->name :
					       process_title(stacks->functions->process), "");
	if (!stacks_sched_is_wanted(stacks))
		return 0;
	error = thread_sched_load(&stacks->sched, stacks->functions->process, thread->thread_id);
	stacks->thread_is_unknown = !error && !stacks->sched.is_known;
	stacks->threads_unknown += stacks->thread_is_unknown;
	return error;
}

static int stacks_thread_end(void *context, const struct call_tree *tree)
{
	struct stacks *stacks = context;

	stacks->losses += tree->losses;
	return 0;
}

static void free_all(struct stacks *stacks)
{
	name_table_free(&stacks->names);
	map64_free(&stacks->children);
	free(stacks->nodes);
	free(stacks->spent);
	free(stacks->path);
	free(stacks->stored);
	free(stacks->name_of);
	free(stacks->marked);
	for (uint32_t i = 0; i < stacks->place_capacity; i++)
		free(stacks->places[i].path);
	free(stacks->places);
	for (uint32_t i = 0; i < stacks->long_name_capacity; i++)
		free(stacks->long_names[i]);
	free(stacks->long_names);
	free(stacks->merged);
	free(stacks->piece_counts);
	free(stacks->program);
	thread_sched_free(&stacks->sched);
}

static int stacks_part_begin(void *context, struct functions *functions, struct walk_sink *part)
{
	const struct stacks *whole = context;
	struct stacks *stacks = malloc(sizeof(*stacks));

	if (!stacks)
		return -ENOMEM;
	*stacks = (struct stacks){
		.is_part = true, .functions = functions, .by_thread = whole->by_thread, .depth_max = whole->depth_max,
		.time = whole->time, .wants_spent = whole->wants_spent, .wants_stored = whole->wants_stored,
	};
	stacks_begin(stacks);
	part->context = part->calls.context = stacks;
	return 0;
}

static void stacks_piece_begin(void *context, const struct call *open, size_t depth)
{
	for (size_t i = 0; i < depth; i++) {
		struct call call = open[i];

		call.resumed = true;	/* counted when it was entered */
		stacks_enter(context, &call, i);
	}
}

static void stacks_piece_end(void *context, const struct call *open, size_t depth)
{
	struct stacks *part = context;
	uint32_t *counts = reallocarray(part->piece_counts, part->pieces + 1, sizeof(*counts));

	(void)open, (void)depth;
	if (!counts)
		no_memory();
	part->piece_counts = counts;
	counts[part->pieces++] = part->count;
}

/* Maps the nodes of a part, up to @end, to nodes of the whole tree. */
static void merge_nodes(struct stacks *stacks, struct stacks *part, uint32_t end, const uint32_t *numbers)
{
	uint32_t *merged = reallocarray(part->merged, end, sizeof(*merged));

	if (!merged)
		no_memory();
	part->merged = merged;
	merged[0] = 0;
	for (uint32_t i = part->merged_count; i < end; i++) {
		const struct stack_node *node = &part->nodes[i];

		if (node->name & STACKS_NAMED) {
			const struct name_pair *pair = &part->names.list[node->name & ~STACKS_NAMED];

			merged[i] = stacks_child(stacks, merged[node->parent], pair->function, pair->library);
		} else if (i) {
			merged[i] = child_of(stacks, merged[node->parent], name_of(stacks, numbers[node->name]));
		}
	}
	part->merged_count = end;
}

static void stacks_piece_in_order(void *context, struct walk_sink *sink, const uint32_t *numbers)
{
	struct stacks *part = sink->context;

	merge_nodes(context, part, part->piece_counts[part->pieces_merged++], numbers);
}

static void stacks_part_end(void *context, struct walk_sink *sink, const uint32_t *numbers)
{
	struct stacks *stacks = context, *part = sink->context;

	if (numbers) {
		merge_nodes(stacks, part, part->count, numbers);
		for (uint32_t i = 1; i < part->count; i++) {
			stacks->nodes[part->merged[i]].calls += part->nodes[i].calls;
			stacks->nodes[part->merged[i]].self_ns += part->nodes[i].self_ns;
			if (stacks->wants_spent)
				stack_spent_add(&stacks->spent[part->merged[i]], &part->spent[i]);
		}
		if (stacks_cpu_time_merge(stacks, part, part->merged) < 0)
			no_memory();
	}
	stacks->losses += part->losses;
	stacks->threads_unknown += part->threads_unknown;
	stacks->cpu_times_missing += part->cpu_times_missing;
	free_all(part);
	free(part);
}

void stacks_begin(struct stacks *stacks)
{
	if (stacks->count)
		return;
	add_node(stacks, 0, 0);
	stacks->path_capacity = 256;
	stacks->path = calloc(stacks->path_capacity, sizeof(*stacks->path));
	if (!stacks->path)
		no_memory();
}

int stacks_read(struct stacks *stacks, const struct walk_choice *choice)
{
	/* A piece does not know what its thread did since the last event of the piece before. */
	bool pieces = !stacks_sched_is_wanted(stacks);
	int status;
	const struct walk_sink sink = {
		.context = stacks,
		.process_begin = stacks_process_begin,
		.thread_begin = stacks_thread_begin,
		.thread_end = stacks_thread_end,
		.part_begin = stacks_part_begin,
		.part_end = stacks_part_end,
		.piece_begin = pieces ? stacks_piece_begin : NULL,
		.piece_end = pieces ? stacks_piece_end : NULL,
		.piece_in_order = stacks_piece_in_order,
		.calls = { .context = stacks, .enter = stacks_enter, .leave = stacks_leave },
	};

	stacks_begin(stacks);
	status = walk_trace(choice, &sink);
	if (stacks->time == STACKS_CPU && stacks_cpu_time_divide(stacks) < 0)
		no_memory();
	return status;
}

void stacks_free(struct stacks *stacks)
{
	free_all(stacks);
	*stacks = (struct stacks){ 0 };
}
