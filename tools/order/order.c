/* SPDX-License-Identifier: MIT */
/* order.c - spoor order: what a start-up executed first, as an order for linkers. */
#include "order/order.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/commands.h"
#include "base/message.h"
#include "order/build_symbols.h"
#include "walk/pattern_options.h"
#include "reader/files/trace_reader.h"
#include "walk/symbol_options.h"

static const char help[] =
	"Usage: spoor order [OPTION]... [TRACE]...\n"
	"Write the order in which functions were first executed, as spoor record notes it in mode\n"
	"order, for linkers to lay them out by (default: " TRACE_DEFAULT_PATH ").\n"
	"\n"
	"      --format FORMAT   lld (default): a symbol ordering file; gold: a section ordering\n"
	"                        file; bfd: for a linker script of GNU ld; ld64: an order file\n"
	"      --library LIST    only these libraries, such as 'libfoo*', by file name or soname\n"
	"      --until LIST      a run's start-up ends where a function of this list is executed, such\n"
	"                        as 'main_loop'; what comes after it is left out\n"
	"  -o, --output FILE     into FILE (default: stdout), the order of one library; of several\n"
	"                        into LIBRARY.order in the directory FILE\n"
	"      --merge HOW       of several runs: mean (default): by mean place, what more runs\n"
	"                        have first; first: as the first run has it, then the next one;\n"
	"                        balanced: what the same runs have at about the same time together\n"
	"      --startup-pages   say on how many pages of text these functions stand, as the\n"
	"                        libraries are linked now and in this order\n"
	"      --for FILE        the build of a library that is to be laid out: say which functions\n"
	"                        it has not\n"
	SYMBOL_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0, 1 where a trace or the FILE of --for cannot be read, a trace has no\n"
	"order, or the output cannot be written, 2 for a wrong command line.\n";

struct request {
	const struct order_format *format;
	const char *output_path, *build;
	char *libraries, *until;	/* patterns */
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
	return message_usage("--merge: '%s' is neither mean, first nor balanced", word);
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
			fputs(help, stdout);
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

/* Libraries apart, then earliest first. */
static int compare(const void *left, const void *right, void *context)
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

/* Return: whether it is known. */
static bool tell_effect(const struct order *order, const struct request *request, uint32_t begin, uint32_t end)
{
	const char *library = library_of(order, &order->list[begin]), *path = request->build, *wrong;
	struct order_effect effect;

	for (size_t i = 0; i < order->library_count && !path; i++)
		if (strcmp(order->libraries[i].name, library) == 0)
			path = order->libraries[i].path;
	wrong = order_build_effect(path, order, begin, end, &effect);
	if (wrong) {
		message("%s: %s; what the order does to it is not known", path, wrong);
		return false;
	}
	if (request->pages)
		message("%s: %" PRIu64 " pages of text with functions of the order as it is, %" PRIu64 " in this order, %"
			PRIu64 " at the least", path, effect.pages_now, effect.pages_ordered, effect.pages_least);
	if (request->build && !effect.missing && !effect.folded && !effect.shared)
		message("%s: all %" PRIu64 " functions of the order are there, each with a name and code of its own", path,
			effect.named);
	if (request->build && effect.missing)
		message("%s: %" PRIu64 " of %" PRIu64 " functions of the order are not there: inlined, or gone", path,
			effect.missing, effect.named);
	if (request->build && effect.folded)
		message("%s: %" PRIu64 " functions of the order share their code with others of it: folded, or aliases", path,
			effect.folded);
	if (request->build && effect.shared)
		message("%s: %" PRIu64 " names of the order are those of several functions, which a linker moves all: "
			"-funique-internal-linkage-names tells static ones apart", path, effect.shared);
	return true;
}

static int write_library(const struct order *order, const struct request *request, const char *path, uint32_t begin, uint32_t end)
{
	struct output out;
	int error;

	/* A trace's own file may be gone; one that was named is there. */
	if ((request->pages || request->build) && !tell_effect(order, request, begin, end) && request->build)
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

/* A library's file in the directory; a name that a stranger's trace has does not lead out of it. */
static void path_of(char *path, size_t size, const struct request *request, const char *library)
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
		message("%s: cannot make the directory: %s", request->output_path, strerror(errno));
		return SPOOR_EXIT_BAD_TRACE;
	}
	for (uint32_t begin = 1, end; begin < order->count && !status; begin = end) {
		end = end_of_library(order, begin);
		path_of(path, sizeof(path), request, library_of(order, &order->list[begin]));
		status = write_library(order, request, path, begin, end);
		if (!status)
			message("%s: %" PRIu32 " functions", path, end - begin);
	}
	return status;
}

static int write_out(struct order *order, const struct request *request)
{
	struct sorting sorting = { order, request->merge };
	uint32_t libraries = 0;

	if (order->count > 1)
		qsort_r(order->list + 1, order->count - 1, sizeof(*order->list), compare, &sorting);
	for (uint32_t begin = 1; begin < order->count; begin = end_of_library(order, begin))
		libraries++;
	for (uint32_t begin = 1, end; begin < order->count && request->merge == BALANCED; begin = end) {
		end = end_of_library(order, begin);
		if (order_balance(order, begin, end))
			order_no_memory();
	}
	if (order->nameless)
		message("%" PRIu64 " of %" PRIu64 " functions have no symbol, so that no linker can be told of them",
			order->nameless, order->entries);
	if (order->until && order->never_there)
		message("--until: %" PRIu32 " of %" PRIu32 " runs have no such function, and are taken as a whole",
			order->never_there, order->runs);
	if (!libraries) {
		message("no function with a name is left%s", request->libraries ? ": does --library match?" : "");
		return SPOOR_EXIT_BAD_TRACE;
	}
	if (libraries > 1 && request->build) {
		message("--for is about one library, and functions of %" PRIu32 " are left: choose it with --library", libraries);
		return SPOOR_EXIT_USAGE;
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
		goto free;
	if (optind == argc) {
		argv = only;
		argc = 1;
		optind = 0;
	}
	order.until = request.until;
	for (int i = optind; i < argc; i++)
		status = order_take_trace(&order, request.libraries, argv[i]) ? SPOOR_EXIT_BAD_TRACE : status;
	if (order.runs) {
		written = write_out(&order, &request);
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
