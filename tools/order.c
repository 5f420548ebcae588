/* SPDX-License-Identifier: MIT */
/* order.c - spoor order: what a start-up executed first, as an order for linkers. */
#include "order.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "message.h"
#include "pattern.h"
#include "patterns.h"
#include "reader/functions.h"
#include "reader/symbol_file.h"
#include "reader/trace.h"

static const char help[] =
	"Usage: spoor order [OPTION]... [TRACE]...\n"
	"Write the order in which functions were first executed, as spoor record notes it in mode\n"
	"order, for linkers to lay them out by (default: " TRACE_DEFAULT_PATH ").\n"
	"\n"
	"      --format FORMAT   lld (default): a symbol ordering file; gold: a section ordering\n"
	"                        file; bfd: for a linker script of GNU ld; ld64: an order file\n"
	"      --library LIST    only these libraries, such as 'libfoo*', by file name or soname\n"
	"  -o, --output FILE     into FILE (default: stdout), the order of one library; of several\n"
	"                        into LIBRARY.order in the directory FILE\n"
	"      --merge HOW       of several runs: mean (default): by mean place, what more runs\n"
	"                        have first; first: as the first run has it, then the next one\n"
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0, 1 where a trace cannot be read or has no order, or the output cannot\n"
	"be written, 2 for a wrong command line.\n";

struct request {
	const struct order_format *format;
	const char *libraries, *output_path;
	bool by_first;
};

static int parse(struct request *request, int argc, char **argv)
{
	enum { FORMAT = 0x100, LIBRARY, MERGE };
	static const struct option options[] = {
		{ "format", required_argument, NULL, FORMAT },
		{ "library", required_argument, NULL, LIBRARY },
		{ "output", required_argument, NULL, 'o' },
		{ "merge", required_argument, NULL, MERGE },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status = 0;

	request->format = &order_formats[0];
	while (!status && (option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		switch (option) {
		case FORMAT:
			request->format = NULL;
			for (size_t i = 0; i < order_format_count; i++)
				if (strcmp(optarg, order_formats[i].name) == 0)
					request->format = &order_formats[i];
			if (!request->format)
				status = message_usage("there is no format '%s': lld, gold, bfd and ld64 are", optarg);
			break;
		case LIBRARY:
			request->libraries = optarg;
			status = patterns_check(optarg);
			break;
		case 'o':
			request->output_path = optarg;
			break;
		case MERGE:
			request->by_first = strcmp(optarg, "first") == 0;
			if (!request->by_first && strcmp(optarg, "mean") != 0)
				status = message_usage("--merge: '%s' is neither mean nor first", optarg);
			break;
		case 'h':
			fputs(help, stdout);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = message_usage(NULL);
		}
	}
	return status;
}

static void no_memory(void)
{
	message("no memory for so many functions");
	exit(SPOOR_EXIT_BAD_TRACE);
}

static struct order_function *function_named(struct order *order, const char *linkage, const char *library)
{
	uint32_t name = name_table_add(&order->names, linkage, library);

	if (!name)
		no_memory();
	if (name >= order->capacity) {
		uint32_t capacity = 2 * name + 256;
		struct order_function *list = reallocarray(order->list, capacity, sizeof(*list));

		if (!list)
			no_memory();
		memset(list + order->capacity, 0, (capacity - order->capacity) * sizeof(*list));
		order->list = list;
		order->capacity = capacity;
	}
	if (name >= order->count)
		order->count = name + 1;
	order->list[name].name = name;
	return &order->list[name];
}

static bool library_is_chosen(const struct symbol_file *file, const char *libraries)
{
	const char *slash = strrchr(file->path, '/');

	return !libraries || spoor_patterns_choose(libraries, (const char *const[]){ file->library, slash ? slash + 1 : file->path }, 2);
}

/* A process is a run. Return: 0 or -ENOMEM. */
static int take_process(struct order *order, const struct request *request, struct process *process)
{
	struct functions functions;
	int error = functions_begin(&functions, process);
	uint64_t rank = 0;

	if (error)
		return error;
	order->runs++;
	for (uint32_t i = 0; i < process->order.count; i++) {
		uint32_t number = functions_number(&functions, process->order.indexes[i], UINT64_MAX);
		const struct function *function = number ? &functions.list[number] : NULL;
		const char *linkage = NULL;
		struct order_function *taken;

		if (function && function->symbols) {
			if (!library_is_chosen(function->symbols, request->libraries))
				continue;
			linkage = symbol_file_linkage(function->symbols, (uint32_t)function->id);
		}
		order->entries++;
		if (!linkage) {
			order->nameless++;
			continue;
		}
		taken = function_named(order, linkage, function->symbols->library);
		/* Static functions of one name are one for a linker. */
		if (taken->latest_run == order->runs)
			continue;
		if (!taken->runs)
			taken->first = (uint64_t)order->runs << 32 | rank;
		taken->latest_run = order->runs;
		taken->runs++;
		taken->ranks += rank++;
	}
	functions_end(&functions);
	return 0;
}

/* Return: an enum spoor_exit. */
static int take_trace(struct order *order, const struct request *request, const char *path)
{
	uint32_t before = order->runs;
	struct trace trace;
	int status = SPOOR_EXIT_GOOD, error = trace_open(&trace, path, false);

	if (error)
		return SPOOR_EXIT_BAD_TRACE;
	for (size_t i = 0; i < trace.count && !error; i++) {
		struct process process;

		if (trace_open_process(&trace, i, &process)) {
			status = SPOOR_EXIT_BAD_TRACE;
			continue;
		}
		if (process.order.count)
			error = take_process(order, request, &process);
		if (process.damaged)
			status = SPOOR_EXIT_BAD_TRACE;
		process_close(&process);
	}
	trace_close(&trace);
	if (error == -ENOMEM)
		no_memory();
	if (order->runs == before) {
		message("%s: no order is in there: 'spoor record --mode order' notes one", path);
		status = SPOOR_EXIT_BAD_TRACE;
	}
	return status;
}

struct sorting {
	const struct order *order;
	bool by_first;
};

static const char *library_of(const struct order *order, const struct order_function *function)
{
	return order->names.list[function->name].library;
}

/* Libraries apart, then earliest first. */
static int compare(const void *left, const void *right, void *context)
{
	const struct order_function *a = left, *b = right;
	const struct sorting *sorting = context;
	int libraries = strcmp(library_of(sorting->order, a), library_of(sorting->order, b));

	if (libraries)
		return libraries;
	if (!sorting->by_first && a->runs != b->runs)
		return a->runs > b->runs ? -1 : 1;
	if (!sorting->by_first && a->ranks != b->ranks)
		return a->ranks < b->ranks ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static uint32_t end_of_library(const struct order *order, uint32_t begin)
{
	uint32_t end = begin + 1;

	while (end < order->count && strcmp(library_of(order, &order->list[begin]), library_of(order, &order->list[end])) == 0)
		end++;
	return end;
}

static int write_library(const struct order *order, const struct request *request, const char *path, uint32_t begin, uint32_t end)
{
	struct output out;
	int error = output_begin(&out, path);

	if (!error) {
		request->format->write(&out, order, begin, end);
		error = output_end(&out);
	}
	if (!error)
		return SPOOR_EXIT_GOOD;
	message("%s: cannot write: %s", path ? path : "stdout", strerror(-error));
	return SPOOR_EXIT_BAD_TRACE;
}

static int write_libraries(const struct order *order, const struct request *request)
{
	int status = SPOOR_EXIT_GOOD;
	char path[PATH_MAX];

	if (mkdir(request->output_path, 0777) < 0 && errno != EEXIST) {
		message("%s: cannot make the directory: %s", request->output_path, strerror(errno));
		return SPOOR_EXIT_BAD_TRACE;
	}
	for (uint32_t begin = 1, end; begin < order->count && !status; begin = end) {
		end = end_of_library(order, begin);
		snprintf(path, sizeof(path), "%s/%s.order", request->output_path, library_of(order, &order->list[begin]));
		status = write_library(order, request, path, begin, end);
		if (!status)
			message("%s: %" PRIu32 " functions", path, end - begin);
	}
	return status;
}

static int write_out(struct order *order, const struct request *request)
{
	struct sorting sorting = { order, request->by_first };
	uint32_t libraries = 0;

	if (order->count > 1)
		qsort_r(order->list + 1, order->count - 1, sizeof(*order->list), compare, &sorting);
	for (uint32_t begin = 1; begin < order->count; begin = end_of_library(order, begin))
		libraries++;
	if (order->nameless)
		message("%" PRIu64 " of %" PRIu64 " functions have no symbol, so that no linker can be told of them",
			order->nameless, order->entries);
	if (!libraries) {
		message("no function with a name is left%s", request->libraries ? ": does --library match?" : "");
		return SPOOR_EXIT_BAD_TRACE;
	}
	if (libraries == 1)
		return write_library(order, request, request->output_path, 1, order->count);
	if (!request->output_path || strcmp(request->output_path, "-") == 0) {
		message("functions of %" PRIu32 " libraries: choose one with --library, or a directory for all with -o",
			libraries);
		return SPOOR_EXIT_USAGE;
	}
	return write_libraries(order, request);
}

int order_main(int argc, char **argv)
{
	static char *only[] = { (char *)TRACE_DEFAULT_PATH };
	struct order order = { 0 };
	struct request request = { 0 };
	int status = parse(&request, argc, argv), written;

	if (status)
		return status;
	if (optind == argc) {
		argv = only;
		argc = 1;
		optind = 0;
	}
	for (int i = optind; i < argc; i++)
		status = take_trace(&order, &request, argv[i]) ? SPOOR_EXIT_BAD_TRACE : status;
	if (order.runs) {
		written = write_out(&order, &request);
		status = status ? status : written;
	}
	name_table_free(&order.names);
	free(order.list);
	return status;
}
