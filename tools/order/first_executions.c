/* SPDX-License-Identifier: MIT */
/* first_executions.c - reads the orders of first executions from traces. Each process is a run. */
#include "order/order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/commands.h"
#include "base/message.h"
#include "text/pattern.h"
#include "walk/pattern_options.h"
#include "reader/symbols/functions.h"
#include "reader/symbols/symbol_file.h"
#include "reader/files/trace_reader.h"
#include "reader/files/trace_runs.h"

void order_exit_without_memory(void)
{
	message("out of memory for the functions");
	exit(SPOOR_EXIT_BAD_TRACE);
}

static struct order_function *add_function(struct order *order, const char *linkage, const char *library)
{
	uint32_t name = name_table_add(&order->names, linkage, library);

	if (!name)
		order_exit_without_memory();
	if (name >= order->capacity) {
		uint32_t capacity = 2 * name + 256;
		struct order_function *list = reallocarray(order->list, capacity, sizeof(*list));

		if (!list)
			order_exit_without_memory();
		memset(list + order->capacity, 0, (capacity - order->capacity) * sizeof(*list));
		order->list = list;
		order->capacity = capacity;
	}
	if (name >= order->count)
		order->count = name + 1;
	order->list[name].name = name;
	return &order->list[name];
}

/* Notes that the current run executed the function in the current window. */
static void add_visit(struct order *order, uint32_t name)
{
	if (order->visit_count == order->visit_capacity) {
		size_t capacity = 2 * order->visit_capacity + 256;
		struct order_visit *visits = reallocarray(order->visits, capacity, sizeof(*visits));

		if (!visits)
			order_exit_without_memory();
		order->visits = visits;
		order->visit_capacity = capacity;
	}
	order->visits[order->visit_count++] = (struct order_visit){ name, order->windows };
}

static void add_library(struct order *order, const struct symbol_file *file)
{
	struct order_library *known;

	for (size_t i = 0; i < order->library_count; i++)
		if (strcmp(order->libraries[i].name, file->library) == 0)
			return;
	known = reallocarray(order->libraries, order->library_count + 1, sizeof(*known));
	if (!known)
		order_exit_without_memory();
	order->libraries = known;
	known[order->library_count] = (struct order_library){ strdup(file->library), strdup(file->path) };
	if (!known[order->library_count].name || !known[order->library_count].path)
		order_exit_without_memory();
	order->library_count++;
}

static bool library_is_chosen(const struct symbol_file *file, const char *libraries)
{
	const char *slash = strrchr(file->path, '/');

	return !libraries || spoor_patterns_choose(libraries, (const char *const[]){ file->library, slash ? slash + 1 : file->path }, 2);
}

/* Adds the order of one process, which is a run. Returns 0, or -ENOMEM. */
static int add_process(struct order *order, const char *libraries, struct process *process)
{
	struct functions functions;
	int error = functions_begin(&functions, process);
	uint64_t rank = 0, window_end = 1;
	bool is_there = false;

	if (error)
		return error;
	order->runs++;
	for (uint32_t i = 0; i < process->order.count && !is_there; i++) {
		uint32_t number = functions_number(&functions, process->order.indexes[i], UINT64_MAX);
		const struct function *function = number ? &functions.list[number] : NULL;
		const char *linkage = NULL;
		struct order_function *taken;

		is_there = number && order->until && function_matches(&functions, number, order->until);
		if (function && function->symbols) {
			if (!library_is_chosen(function->symbols, libraries))
				continue;
			linkage = symbol_file_linkage(function->symbols, (uint32_t)function->id);
		}
		order->entries++;
		if (!linkage) {
			order->nameless++;
			continue;
		}
		taken = add_function(order, linkage, function->symbols->library);
		/* A linker does not distinguish static functions of the same name. */
		if (taken->latest_run == order->runs)
			continue;
		if (!taken->runs) {
			taken->first = (uint64_t)order->runs << 32 | rank;
			add_library(order, function->symbols);
		}
		taken->latest_run = order->runs;
		taken->runs++;
		add_visit(order, taken->name);
		taken->ranks += rank++;
		if (rank == window_end) {
			order->windows++;
			window_end = 2 * window_end + 1;
		}
	}
	order->windows++;
	order->runs_without_until += !is_there;
	functions_end(&functions);
	return 0;
}

int order_add_trace(struct order *order, const char *libraries, const char *path)
{
	uint32_t before = order->runs;
	struct trace trace;
	int status = SPOOR_EXIT_GOOD, error = trace_open(&trace, path, false);

	if (error)
		return SPOOR_EXIT_BAD_TRACE;
	if (trace_runs_apply(&trace)) {
		trace_close(&trace);
		return SPOOR_EXIT_BAD_TRACE;
	}
	for (size_t i = 0; i < trace.count && !error; i++) {
		struct process process;

		if (trace_open_process(&trace, i, &process)) {
			status = SPOOR_EXIT_BAD_TRACE;
			continue;
		}
		if (process.order.count)
			error = add_process(order, libraries, &process);
		if (process.damaged)
			status = SPOOR_EXIT_BAD_TRACE;
		process_close(&process);
	}
	trace_close(&trace);
	if (error == -ENOMEM)
		order_exit_without_memory();
	if (order->runs == before) {
		message("%s: the trace has no order: record it with 'spoor record --mode order'", path);
		status = SPOOR_EXIT_BAD_TRACE;
	}
	return status;
}
