/* SPDX-License-Identifier: MIT */
/*
 * rowbinary.c - writes rows for ClickHouse, in its format RowBinary.
 *
 * One stream has the rows of all tables. clickhouse/create.sql defines the meaning of each column and copies
 * the rows to their tables. A call becomes a row when it ends, with all that a report needs, so a sum over
 * rows is a sum over calls. A function or path becomes a row when it is first met.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "walk/loss_cause.h"
#include "export/export.h"
#include "export/wait_states.h"
#include "walk/stacks/folded_stacks.h"
#include "base/message.h"
#include "walk/pattern_options.h"
#include "reader/symbols/symbol_file.h"
#include "reader/types/shown_values.h"

/* The text of a stack names all its frames. The limit bounds the quadratic number of names of a deep recursion. */
#define STACK_DEPTH_MAX 1000u

/* Numbers that create.sql uses too. */
enum row_kind { ROW_PROCESS = 1, ROW_THREAD, ROW_FUNCTION, ROW_PATH, ROW_CALL, ROW_EVENT, ROW_NOTE, ROW_COUNT };
enum row_flag { ROW_OUTERMOST = 1, ROW_IS_ROOT = 2, ROW_RESUMED = 4, ROW_UNRELIABLE = 8 };
enum row_event { ROW_USER, ROW_LOST, ROW_LOST_SLICES, ROW_LOST_OVERWRITTEN, ROW_UNRECORDED, ROW_EXIT, ROW_TAIL_EXIT,
		 ROW_TRACEPOINT, ROW_WAIT, ROW_PREEMPTED };

_Static_assert(CALL_EXIT == 0 && CALL_TAIL == 1 && CALL_UNWOUND == 2 && CALL_SET_ASIDE == 3 && CALL_LEFT == 4 &&
	       CALL_UNRECORDED == 5 && CALL_UNFINISHED == 6 && CALL_BEYOND == 7, "calls.ending in create.sql");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a row is written as it is in memory");

/* A row without its two strings, as it is written. */
struct row {
	uint8_t kind;
	uint64_t session, process;
	uint32_t thread;
	uint64_t function, path;
	uint32_t depth;
	uint8_t flags;
	int8_t what;
	uint64_t numbers[3];
} __attribute__((packed));

/* By function number, of the current process. */
struct row_function {
	uint64_t key;		/* 0: its row is not written yet */
	uint32_t open;		/* number of open calls in the current thread */
};

struct export_rows {
	struct stacks stacks;
	uint64_t *paths;	/* by node of @stacks: its key */
	uint32_t path_count, path_capacity;
	uint32_t *nodes;	/* scratch for the nodes of one path */
	uint32_t nodes_capacity;
	struct row_function *list;
	uint32_t list_count;
	uint64_t session, process;
};

static struct row new_row(const struct export *export, enum row_kind kind)
{
	return (struct row){ .kind = kind, .session = export->rows->session, .process = export->rows->process };
}

static void put_string(struct output *out, const char *string)
{
	size_t bytes = strlen(string);

	output_varint(out, bytes);
	output_put(out, string, bytes);
}

static void put_row(struct export *export, const struct row *row, const char *text_1, const char *text_2)
{
	output_put(&export->out, row, sizeof(*row));
	put_string(&export->out, text_1);
	put_string(&export->out, text_2);
}

/* Returns a hash, never 0. Equal bytes have the same key in each export. */
static uint64_t key_of(const void *bytes, size_t count, uint64_t seed)
{
	uint64_t key = XXH3_64bits_withSeed(bytes, count, seed);

	return key ? key : 1;
}

/* Returns the key of a function: its ID, and the path and build of its module. A report has one row for each key. */
static uint64_t function_key(const struct functions *functions, uint32_t number)
{
	const struct symbol_file *symbols = functions->list[number].symbols;
	uint64_t seed = function_id(functions, number);

	if (!symbols)
		return key_of("", 0, seed);
	return key_of(symbols->path, strlen(symbols->path), key_of(symbols->build_id, symbols->build_id_bytes, seed));
}

static void *grow_list(struct export *export, void *list, uint32_t *count, uint32_t wanted, size_t size)
{
	uint32_t more = wanted < 128 ? 256 : 2 * wanted;
	char *grown = more > wanted ? reallocarray(list, more, size) : NULL;

	if (!grown) {
		export->out.error = -ENOMEM;
		return NULL;
	}
	memset(grown + *count * size, 0, (more - *count) * size);
	*count = more;
	return grown;
}

/* Writes the row of a function the first time. Returns NULL without memory. */
static struct row_function *note_function(struct export *export, uint32_t number)
{
	struct export_rows *rows = export->rows;
	struct row_function *function;

	if (number >= rows->list_count) {
		struct row_function *list = grow_list(export, rows->list, &rows->list_count, number, sizeof(*list));

		if (!list)
			return NULL;
		rows->list = list;
	}
	function = &rows->list[number];
	if (!function->key) {
		struct row row = new_row(export, ROW_FUNCTION);

		function->key = row.function = function_key(export->functions, number);
		row.flags = export->functions->list[number].is_scope || function_has_name(export->functions, number);
		row.numbers[0] = function_id(export->functions, number);
		put_row(export, &row, function_name(export->functions, number), function_library(export->functions, number));
	}
	return function;
}

/* Writes the row of the path to a new node. */
static void write_path(struct export *export, uint32_t node)
{
	struct export_rows *rows = export->rows;
	const struct stacks *stacks = &rows->stacks;
	const struct stack_node *nodes = stacks->nodes;
	struct row row = new_row(export, ROW_PATH);
	size_t bytes = nodes[node].depth - 1;	/* semicolons */

	if (node >= rows->path_capacity) {
		uint64_t *paths = grow_list(export, rows->paths, &rows->path_capacity, node, sizeof(*paths));

		if (!paths)
			return;
		rows->paths = paths;
	}
	if (nodes[node].depth >= rows->nodes_capacity) {
		uint32_t *room = grow_list(export, rows->nodes, &rows->nodes_capacity, nodes[node].depth,
					   sizeof(*room));

		if (!room)
			return;
		rows->nodes = room;
	}
	for (uint32_t at = node; at; at = nodes[at].parent)
		bytes += strlen(stacks->names.list[nodes[at].name].function);
	row.numbers[0] = rows->paths[nodes[node].parent];
	row.path = key_of(&stacks->names.list[nodes[node].name].hash, sizeof(uint64_t), row.numbers[0]);
	row.depth = nodes[node].depth - 1;
	rows->paths[node] = row.path;
	rows->path_count = node + 1;
	output_put(&export->out, &row, sizeof(row));
	output_varint(&export->out, bytes);
	stacks_write_path(&export->out, stacks, rows->nodes, node);
	put_string(&export->out, "");
}

/* Adds a call to the paths. The call becomes a row when it ends, unless --min-duration excludes it. */
static void rows_around(void *context, const struct call *call, size_t depth)
{
	struct export *export = context;
	struct export_rows *rows = export->rows;
	uint32_t node;

	stacks_enter(&rows->stacks, call, depth);
	node = rows->stacks.path[depth + 1];
	if (__builtin_expect(node >= rows->path_count, 0))
		write_path(export, node);
}

static void rows_enter(void *context, const struct call *call, size_t depth)
{
	struct export *export = context;
	struct row_function *function;

	rows_around(context, call, depth);
	function = note_function(export, call->function);
	if (function)
		function->open++;
}

/* Writes a call whose values are in the trace. */
static void put_call_with_values(struct export *export, const struct row *row, const struct call *call)
{
	char *arguments = call->arguments ? shown_values_text(call->arguments, true) : NULL;
	char *result = call->result ? shown_values_text(call->result, true) : NULL;

	if ((call->arguments && !arguments) || (call->result && !result))
		export->out.error = -ENOMEM;
	put_row(export, row, arguments ? arguments : "", result ? result : "");
	free(arguments);
	free(result);
}

static void rows_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct export *export = context;
	struct export_rows *rows = export->rows;
	uint32_t node = rows->stacks.path[depth + 1];
	uint64_t duration_ns = call_duration(call, end_ns);
	struct row_function *function;
	struct {
		struct row row;
		uint8_t no_strings[2];
	} __attribute__((packed)) one = { .row = new_row(export, ROW_CALL) };

	if (call->function >= rows->list_count || node >= rows->path_count)
		return;		/* rows_enter ran out of memory for it */
	function = &rows->list[call->function];
	one.row.thread = export->thread->thread_id;
	one.row.function = function->key;
	one.row.path = rows->paths[node];
	one.row.depth = (uint32_t)depth;
	one.row.flags = (uint8_t)((--function->open ? 0 : ROW_OUTERMOST) | (call->root ? ROW_IS_ROOT : 0) |
				  (call->resumed ? ROW_RESUMED : 0) | (call->unreliable ? ROW_UNRELIABLE : 0));
	one.row.what = (int8_t)how;
	one.row.numbers[0] = call->begin_ns;
	one.row.numbers[1] = duration_ns;
	one.row.numbers[2] = duration_ns > call->inner_ns ? duration_ns - call->inner_ns : 0;
	if (call->arguments || call->result)
		put_call_with_values(export, &one.row, call);
	else
		output_put(&export->out, &one, sizeof(one));
}

static enum row_event row_event_of(const struct event *event)
{
	if (event->kind == EVENT_USER)
		return ROW_USER;
	if (event->kind == EVENT_TRACEPOINT)
		return ROW_TRACEPOINT;
	if (event->kind != EVENT_LOST)
		return event->kind == EVENT_EXIT ? ROW_EXIT : ROW_TAIL_EXIT;
	if (event->cause < EVENT_LOST_SLICES)
		return ROW_LOST;
	return event->cause == EVENT_LOST_UNRECORDED ? ROW_UNRECORDED :
	       event->cause == EVENT_LOST_OVERWRITTEN ? ROW_LOST_OVERWRITTEN : ROW_LOST_SLICES;
}

static void rows_other(void *context, const struct event *event, size_t depth)
{
	struct export *export = context;
	const char *name = NULL, *string = NULL;
	struct row row = new_row(export, ROW_EVENT);
	uint32_t node = export->rows->stacks.path[depth];
	char arguments[TRACEPOINT_TEXT_MAX];

	row.thread = export->thread->thread_id;
	row.path = node < export->rows->path_count ? export->rows->paths[node] : 0;
	row.depth = (uint32_t)depth;
	row.what = (int8_t)row_event_of(event);
	row.numbers[0] = event->time_ns;
	if (event->kind == EVENT_USER) {
		name = user_event_name(export->process, event->user_type);
		string = user_event_string(export->process, event);
		row.numbers[1] = event->user_payload_1;
		row.numbers[2] = (uint64_t)event->user_type << 32 | event->user_payload_2;
	} else if (event->kind == EVENT_TRACEPOINT) {
		tracepoint_text(event->tracepoint, true, arguments);
		name = function_name(export->functions, event->function);
		string = arguments;
	} else if (event->kind == EVENT_LOST) {
		row.numbers[1] = event->count;
	} else {
		struct row_function *function = note_function(export, event->function);

		row.function = function ? function->key : 0;
	}
	put_row(export, &row, name ? name : "", string ? string : "");
}

/* Writes a note, unless @number is 0. @thread: 0: the whole process */
static void write_note(struct export *export, uint32_t thread, uint64_t number, const char *account, const char *what)
{
	struct row row = new_row(export, ROW_NOTE);

	if (!number)
		return;
	row.thread = thread;
	row.numbers[0] = number;
	put_row(export, &row, account, what);
}

/* Writes the counts of mode 'count', which have neither thread nor time. */
static void write_counts(struct export *export)
{
	const struct count_file *counts = &export->process->counts;
	const struct walk_choice *choice = &export->choice;

	if (choice->thread_count || choice->has_range || choice->least_ns || choice->condition) {
		if (counts->calls)
			message("%s: leaves out %" PRIu64 " counted calls: counts have neither thread nor time, so "
				"--thread, --time and --min-duration exclude them", export->process->path,
				counts->calls);
		return;
	}
	for (uint32_t index = 0; index < counts->end; index++) {
		struct row row = new_row(export, ROW_COUNT);
		struct row_function *function;
		uint32_t number;

		if (!counts->counts[index])
			continue;
		number = functions_number(export->functions, index, UINT64_MAX);
		if (number && choice->libraries && !library_matches(export->functions, number, choice->libraries))
			continue;
		if (number && choice->functions && !function_matches(export->functions, number, choice->functions))
			continue;
		function = number ? note_function(export, number) : NULL;
		if (!function) {
			export->out.error = -ENOMEM;
			return;
		}
		row.function = function->key;
		row.numbers[0] = counts->counts[index];
		put_row(export, &row, "", "");
	}
	write_note(export, 0, counts->lost, "calls", "could not be counted");
}

static void write_process(struct export *export)
{
	const struct process *process = export->process;
	struct row row = new_row(export, ROW_PROCESS);
	size_t bytes = 0;

	row.numbers[0] = (uint64_t)process->process_id;
	row.numbers[1] = (uint64_t)process->begin_steady_ns;
	row.numbers[2] = (uint64_t)process->begin_system_ns;
	output_put(&export->out, &row, sizeof(row));
	put_string(&export->out, process_title(process));
	for (size_t i = 0; i < process->fact_count; i++)
		bytes += strlen(process->facts[i]) + 1;
	output_varint(&export->out, bytes);
	for (size_t i = 0; i < process->fact_count; i++) {
		output_string(&export->out, process->facts[i]);
		output_char(&export->out, '\n');
	}
}

static int rows_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;
	struct export_rows *rows = export->rows;
	const uint64_t own[] = { process->session_id, (uint64_t)process->process_id, (uint64_t)process->begin_steady_ns,
				 (uint64_t)process->begin_system_ns };

	if (!rows) {
		rows = export->rows = calloc(1, sizeof(*rows));
		if (!rows)
			return -ENOMEM;
		rows->stacks.depth_max = STACK_DEPTH_MAX;
		stacks_begin(&rows->stacks);
		rows->paths = grow_list(export, NULL, &rows->path_capacity, 0, sizeof(*rows->paths));
		if (!rows->paths)
			return -ENOMEM;
		rows->path_count = 1;	/* the key of the root is 0 */
	}
	export_process_begin(export, process, functions);
	rows->session = process->session_id;
	rows->process = key_of(own, sizeof(own), 0);
	free(rows->list);
	rows->list = NULL;
	rows->list_count = 0;
	stacks_process_begin(&rows->stacks, process, functions);
	write_process(export);
	for (size_t i = 0; i < process->loss_count; i++)
		write_note(export, process->losses[i].thread_id, process->losses[i].events, "cause",
			  loss_cause_text(process->losses[i].cause));
	for (size_t i = 0; i < process->threads.count; i++)
		write_note(export, process->threads.threads[i]->thread_id, process->threads.threads[i]->lost,
		"thread",
			  "events lost in all");
	write_counts(export);
	return export->out.error;
}

static int rows_thread_begin(void *context, const struct thread_slices *thread)
{
	struct export *export = context;
	struct row row = new_row(export, ROW_THREAD);

	export_thread_begin(export, thread);
	row.thread = thread->thread_id;
	put_row(export, &row, export_thread_name(export), "");
	stacks_thread_begin(&export->rows->stacks, thread);
	return export->out.error;
}

/* Writes a time in which the thread had no processor. A wait without an end has the largest length. */
static void write_state(struct export *export, const struct wait_state *state)
{
	struct row row = new_row(export, ROW_EVENT);

	row.thread = export->thread->thread_id;
	row.what = state->is_preempted ? ROW_PREEMPTED : ROW_WAIT;
	row.numbers[0] = state->begin_ns;
	row.numbers[1] = state->end_ns == UINT64_MAX ? UINT64_MAX : state->end_ns - state->begin_ns;
	put_row(export, &row, "", state->reason);
}

static int rows_thread_end(void *context, const struct call_tree *tree)
{
	struct export *export = context;
	uint32_t thread = export->thread->thread_id;

	if (wait_states_for_each(export, write_state))
		export->out.error = -ENOMEM;
	write_note(export, thread, tree->losses, "calls", "places where events are missing");
	write_note(export, thread, tree->repaired, "calls", "left without returning");
	write_note(export, thread, tree->gaps, "calls", "places where calls are missing for a time");
	write_note(export, thread, tree->roots, "calls", "were open before recording began");
	write_note(export, thread, tree->orphans, "calls", "returns without an entry");
	return export->out.error;
}

void export_rowbinary(struct walk_sink *sink)
{
	sink->takes_counts = true;
	sink->process_begin = rows_process_begin;
	sink->thread_begin = rows_thread_begin;
	sink->thread_end = rows_thread_end;
	sink->calls.enter = rows_enter;
	sink->calls.leave = rows_leave;
	sink->calls.other = rows_other;
	sink->calls.other_has_no_place = true;
	sink->calls.around = rows_around;
}

void export_rowbinary_end(struct export *export)
{
	struct export_rows *rows = export->rows;

	if (!rows)
		return;
	stacks_free(&rows->stacks);
	free(rows->paths);
	free(rows->nodes);
	free(rows->list);
	free(rows);
	export->rows = NULL;
}
