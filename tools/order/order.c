/* SPDX-License-Identifier: MIT */
/* order.c - spoor order: writes the order in which a start-up executed functions, for linkers. */
#include "order/order.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "order/build_symbols.h"
#include "walk/pattern_options.h"
#include "reader/files/trace_reader.h"
#include "walk/symbol_options.h"

static const char help[] =
	"Usage: spoor order [OPTION]... [TRACE]...\n"
	"Write the order in which functions were first executed, for linkers. The trace (default:\n"
	TRACE_DEFAULT_PATH ") must be recorded in mode 'order'.\n"
	"\n"
	"      --format FORMAT   lld (default): a symbol ordering file; gold: a section ordering\n"
	"                        file; bfd: for a linker script of GNU ld; ld64: an order file\n"
	"      --library PATTERNS\n"
	"                        only these libraries, such as 'libfoo*', by file name or soname\n"
	"      --until PATTERNS  end each run after the first function that matches, such as\n"
	"                        'main_loop'\n"
	"  -o, --output FILE     write the order of one library to FILE (default: stdout); of\n"
	"                        several libraries to LIBRARY.order in the directory FILE\n"
	"      --merge HOW       order several runs by: mean (default): mean position, functions\n"
	"                        of more runs first; first: the first run, then the next one;\n"
	"                        balanced: functions together that the same runs execute at about\n"
	"                        the same time\n"
	"      --startup-pages   report how many pages of text these functions occupy, as the\n"
	"                        libraries are linked now and in this order\n"
	"      --for FILE        report which functions are missing from FILE, the build of the\n"
	"                        library that will be linked in this order\n"
	SYMBOL_HELP
	"  -q, --quiet           print only warnings and errors\n"
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 if a trace or the FILE of --for cannot be read, a\n"
	"trace has no order, or the output cannot be written, and 2 for a wrong command line.\n";

struct request {
	const struct order_format *format;
	const char *output_path, *build;	/* NULL: stdout; no --for */
	char *libraries, *until;	/* patterns; NULL: all libraries; the whole run */
	enum { MEAN, FIRST, BALANCED } merge;
	bool pages;
};

static int parse_merge(struct request *request, const char *word)
{
	static const char *const words[] = { [MEAN] = "mean", [FIRST] = "first", [BALANCED] = "balanced" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(word, words[i]) == 0) {
			request->merge = i;
			return 0;
		}
	}
	return message_usage("--merge: unknown method '%s': use mean, first or balanced", word);
}

static int parse(struct request *request, int argc, char **argv)
{
	enum { FORMAT = 0x100, LIBRARY, UNTIL, MERGE, PAGES, FOR };
	static const struct option options[] = {
		{ "format", required_argument, NULL, FORMAT },
		{ "library", required_argument, NULL, LIBRARY },
		{ "until", required_argument, NULL, UNTIL },
		{ "output", required_argument, NULL, 'o' },
		{ "merge", required_argument, NULL, MERGE },
		{ "startup-pages", no_argument, NULL, PAGES },
		{ "for", required_argument, NULL, FOR },
		SYMBOL_LONG_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status = 0;

	request->format = &order_formats[0];
	while (!status && (option = options_next(argc, argv, "o:", options)) != -1) {
		switch (option) {
		case FORMAT:
			request->format = NULL;
			for (size_t i = 0; i < order_format_count; i++)
				if (strcmp(optarg, order_formats[i].name) == 0)
					request->format = &order_formats[i];
			if (!request->format)
				status = message_usage("unknown format '%s': use lld, gold, bfd or ld64", optarg);
			break;
		case LIBRARY:
			status = pattern_options_add(&request->libraries, optarg);
			break;
		case UNTIL:
			status = pattern_options_add(&request->until, optarg);
			break;
		case 'o':
			status = message_take_name("--output", optarg, &request->output_path);
			break;
		case MERGE:
			status = parse_merge(request, optarg);
			break;
		case PAGES:
			request->pages = true;
			break;
		case FOR:
			status = message_take_name("--for", optarg, &request->build);
			break;
		case 'h':
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = symbol_option_is(option) ? symbol_option_take(option, optarg) : message_usage(NULL);
		}
	}
	return status;
}

struct sorting {
	const struct order *order;
	int merge;
};

static const char *library_of(const struct order *order, const struct order_function *function)
{
	return order->names.list[function->name].library;
}

/* Orders by library, then by first execution. */
static int compare_functions(const void *left, const void *right, void *context)
{
	const struct order_function *a = left, *b = right;
	const struct sorting *sorting = context;
	int libraries = strcmp(library_of(sorting->order, a), library_of(sorting->order, b));

	if (libraries)
		return libraries;
	if (sorting->merge != FIRST && a->runs != b->runs)
		return a->runs > b->runs ? -1 : 1;
	if (sorting->merge != FIRST && a->ranks != b->ranks)
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

/* Prints the effect of the order on a build. Returns false after a message if it is unknown. */
static bool print_effect(const struct order *order, const struct request *request, uint32_t begin, uint32_t end)
{
	const char *library = library_of(order, &order->list[begin]), *path = request->build, *wrong;
	struct order_effect effect;

	for (size_t i = 0; i < order->library_count && !path; i++)
		if (strcmp(order->libraries[i].name, library) == 0)
			path = order->libraries[i].path;
	wrong = order_build_effect(path, order, begin, end, &effect);
	if (wrong) {
		message("%s: %s; the effect of the order on this file is unknown", path, wrong);
		return false;
	}
	if (request->pages)
		message("%s: %" PRIu64 " pages of text have functions of the order now, %" PRIu64 " in this order, %"
			PRIu64 " at the least", path, effect.pages_now, effect.pages_ordered, effect.pages_least);
	if (request->build && !effect.missing && !effect.folded && !effect.shared)
		message("%s: all %" PRIu64 " functions of the order are there, each with a separate name and code",
			path,
			effect.named);
	if (request->build && effect.missing)
		message("%s: %" PRIu64 " of %" PRIu64 " functions of the order are missing: inlined or removed", path,
			effect.missing, effect.named);
	if (request->build && effect.folded)
		message("%s: %" PRIu64 " functions of the order share their code with another one: folded, or "
			"aliases", path,
			effect.folded);
	if (request->build && effect.shared)
		message("%s: %" PRIu64 " names of the order belong to several functions, and a linker moves all of "
			"them: "
			"compile with -funique-internal-linkage-names to separate static ones", path, effect.shared);
	return true;
}

static int write_library(const struct order *order, const struct request *request, const char *path, uint32_t begin, uint32_t end)
{
	struct output out;
	int error;

	/* The file of --for must exist. For --startup-pages the traced file is optional. */
	if ((request->pages || request->build) && !print_effect(order, request, begin, end) && request->build)
		return SPOOR_EXIT_BAD_TRACE;
	error = output_begin(&out, path);
	if (!error) {
		request->format->write(&out, order, begin, end);
		error = output_end(&out);
	}
	if (!error)
		return SPOOR_EXIT_GOOD;
	message("%s: cannot write: %s", path ? path : "stdout", strerror(-error));
	return SPOOR_EXIT_BAD_TRACE;
}

/* Makes the path of a library's file. A name from a foreign trace cannot leave the directory. */
static void make_library_path(char *path, size_t size, const struct request *request, const char *library)
{
	size_t folder = strlen(request->output_path) + 1;

	snprintf(path, size, "%s/%.*s.order", request->output_path, NAME_MAX - 16, library);
	for (char *at = folder < size ? path + folder : ""; *at; at++)
		if (*at == '/' || (*at == '.' && at == path + folder))
			*at = '_';
}

static int write_libraries(const struct order *order, const struct request *request)
{
	int status = SPOOR_EXIT_GOOD;
	char path[PATH_MAX];

	if (mkdir(request->output_path, 0777) < 0 && errno != EEXIST) {
		message("%s: cannot create the directory: %s", request->output_path, strerror(errno));
		return SPOOR_EXIT_BAD_TRACE;
	}
	for (uint32_t begin = 1, end; begin < order->count && !status; begin = end) {
		end = end_of_library(order, begin);
		make_library_path(path, sizeof(path), request, library_of(order, &order->list[begin]));
		status = write_library(order, request, path, begin, end);
		if (!status)
			message("%s: %" PRIu32 " functions", path, end - begin);
	}
	return status;
}

static int write_order(struct order *order, const struct request *request)
{
	struct sorting sorting = { order, request->merge };
	uint32_t libraries = 0;

	if (order->count > 1)
		qsort_r(order->list + 1, order->count - 1, sizeof(*order->list), compare_functions, &sorting);
	for (uint32_t begin = 1; begin < order->count; begin = end_of_library(order, begin))
		libraries++;
	for (uint32_t begin = 1, end; begin < order->count && request->merge == BALANCED; begin = end) {
		end = end_of_library(order, begin);
		if (order_balance(order, begin, end))
			order_exit_without_memory();
	}
	if (order->nameless)
		message("%" PRIu64 " of %" PRIu64 " functions have no symbol and cannot be ordered by a linker",
			order->nameless, order->entries);
	if (order->until && order->runs_without_until)
		message("--until: %" PRIu32 " of %" PRIu32 " runs did not execute such a function, and are used "
			"completely",
			order->runs_without_until, order->runs);
	if (!libraries) {
		message("no function has a symbol%s", request->libraries ? ": does --library match?" : "");
		return SPOOR_EXIT_BAD_TRACE;
	}
	if (libraries > 1 && request->build) {
		message("--for needs one library, and %" PRIu32 " have functions: choose one with --library",
			libraries);
		return SPOOR_EXIT_USAGE;
	}
	if (libraries == 1)
		return write_library(order, request, request->output_path, 1, order->count);
	if (!request->output_path || strcmp(request->output_path, "-") == 0) {
		message("%" PRIu32 " libraries have functions: choose one with --library, or name a directory with "
			"-o",
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
		goto free;
	if (optind == argc) {
		argv = only;
		argc = 1;
		optind = 0;
	}
	order.until = request.until;
	for (int i = optind; i < argc; i++)
		status = order_add_trace(&order, request.libraries, argv[i]) ? SPOOR_EXIT_BAD_TRACE : status;
	if (order.runs) {
		written = write_order(&order, &request);
		status = status ? status : written;
	}
free:
	for (size_t i = 0; i < order.library_count; i++) {
		free(order.libraries[i].name);
		free(order.libraries[i].path);
	}
	free(order.libraries);
	free(order.visits);
	name_table_free(&order.names);
	free(order.list);
	free(request.libraries);
	free(request.until);
	return status;
}
