/* SPDX-License-Identifier: MIT */
/*
 * named_symbols.c - writes the functions of a trace as a symbols file (libspoor/format/symbols.proto).
 *
 * The keys are the function IDs of events, so that the file names the functions of --format=spoor.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "reader/symbols/symbol_file.h"
#include "reader/symbols/unit_symbols.h"
#include "reader/symbols/symbols_message.h"

/* Splits a path into directory and file. Returns the file's name; without a directory that is @path. */
static char *split_path(char *path)
{
	char *last = path ? strrchr(path, '/') : NULL;

	if (!last)
		return path;
	*last = 0;
	return last + 1;
}

static void write_function(struct export *export, uint32_t number)
{
	struct functions *functions = export->functions;
	const struct trace_function *function = &export->table.list[export->table.count];
	struct symbol_file *symbols = functions->list[number].symbols;
	const struct unit_symbol *described = symbols ? symbol_file_described(symbols, (uint32_t)function->id) : NULL;
	Spoor__FunctionInfo info = SPOOR__FUNCTION_INFO__INIT, *infos[] = { &info };
	char *path = function->file ? strdup(function->file) : NULL, *name = split_path(path);

	if (described)
		info = *described->info;
	info.module_id = (char *)function->library;
	if (function->linkage)
		info.linkage_name = (char *)function->linkage;
	else if (!info.linkage_name)
		info.linkage_name = (char *)function->name;
	info.demangled_name = (char *)function->name;
	if (name) {
		info.directory = name == path ? NULL : path;
		info.file_name = name;
		info.has_line = function->line > 0;
		info.line = (int32_t)function->line;
	}
	info.has_instrumented = 1;
	info.instrumented = 1;
	symbols_message_put(&export->out, function->id, infos, 1);
	free(path);
}

static void write_new_function(struct export *export, uint32_t number)
{
	uint32_t count = export->table.count;

	if (!trace_functions_number(&export->table, export->functions, number))
		export->out.error = -ENOMEM;
	else if (export->table.count > count)
		write_function(export, number);
}

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	export_process_begin(context, process, functions);
	return 0;
}

static void enter(void *context, const struct call *call, size_t depth)
{
	(void)depth;
	write_new_function(context, call->function);
}

static void leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	(void)context, (void)call, (void)depth, (void)end_ns, (void)how;
}

static void other_event(void *context, const struct event *event, size_t depth)
{
	(void)depth;
	if (event->kind != EVENT_USER && event->kind != EVENT_LOST)
		write_new_function(context, event->function);
}

void export_symbols(struct walk_sink *sink)
{
	sink->process_begin = process_begin;
	sink->calls.enter = enter;
	sink->calls.leave = leave;
	sink->calls.other = other_event;
	sink->calls.other_has_no_place = true;
}
