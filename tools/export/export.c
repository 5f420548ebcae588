/* SPDX-License-Identifier: MIT */
/* export.c - spoor export: writes a trace in the formats of other programs. */
#include "export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/commands.h"
#include "walk/stacks/folded_stacks.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"

const char *export_thread_name(const struct export *export)
{
	const char *name = export->thread->name;

	return name ? name : process_title(export->process);
}

void export_process_begin(struct export *export, struct process *process, struct functions *functions)
{
	export->process = process;
	export->functions = functions;
	trace_functions_process_begin(&export->table);
	export->process_count++;
}

void export_thread_begin(struct export *export, const struct thread_slices *thread)
{
	export->thread = thread;
	export->thread_count++;
}

bool export_needs_names(struct export *export, uint32_t function)
{
	uint32_t number, *named;

	if (export->flat)
		return true;
	number = trace_functions_number(&export->table, export->functions, function);
	named = map64_at(&export->named, function_id(export->functions, function));
	if (!number || !named)
		return true;
	if (*named == number)
		return false;
	*named = number;
	return true;
}

uint32_t *export_note(struct export *export, uint32_t function)
{
	if (function >= export->note_count) {
		uint32_t count = function < 512 ? 1024 : 2 * function;
		uint32_t *larger = reallocarray(export->notes, count, sizeof(*larger));

		if (!larger) {
			export->out.error = -ENOMEM;
			return NULL;
		}
		memset(larger + export->note_count, 0, (count - export->note_count) * sizeof(*larger));
		export->notes = larger;
		export->note_count = count;
	}
	return &export->notes[function];
}

void export_clear_notes(struct export *export)
{
	if (export->note_count)
		memset(export->notes, 0, export->note_count * sizeof(*export->notes));
}

int export_directory(struct export *export, const char *path)
{
	int directory;

	export->directory_is_new = mkdir(path, 0700) == 0;
	if (!export->directory_is_new && errno != EEXIST)
		return -errno;
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return directory < 0 ? -errno : directory;
}

bool export_stop(void *context)
{
	return output_failed(&((struct export *)context)->out);
}

static int export_folded(struct export *export, const struct stacks *stacks)
{
	stacks_write_folded(&export->out, stacks, NULL, NULL);
	return 0;
}

static const struct format {
	const char *name;
	void (*set_sink)(struct walk_sink *sink);
	int (*write)(struct export *export, const struct stacks *stacks);	/* for formats of call paths */
	/* Called before and after the walk; NULL: the format is a single file. */
	int (*begin)(struct export *export, const char *path);
	int (*end)(struct export *export);
	const char *(*missing)(void);	/* returns why this build cannot write it, or NULL; NULL: always available */
	bool binary, directory, compresses;
	bool has_flat;		/* the names of functions can be in each event */
	bool has_places;	/* for formats of call paths: needs files and lines */
	const char *viewer;	/* the program that reads it; NULL: any */
	bool has_wakers;	/* shows which function ended a wait */
	uint32_t holds_mb;	/* the largest output that the viewer can open */
} formats[] = {
	{ .name = "perfetto", .set_sink = export_perfetto, .binary = true, .has_wakers = true, .viewer = "ui.perfetto.dev",
	.holds_mb = 1000 },
	{ .name = "chrome", .set_sink = export_chrome, .has_wakers = true, .viewer = "a browser", .holds_mb = 500 },
	{ .name = "speedscope", .set_sink = export_speedscope, .viewer = "a browser", .holds_mb = 500 },
	{ .name = "csv", .set_sink = export_csv, .has_flat = true },
	{ .name = "json", .set_sink = export_json, .has_flat = true },
	{ .name = "rowbinary", .set_sink = export_rowbinary, .binary = true },
	{ .name = "folded", .write = export_folded },
	{ .name = "callgrind", .write = export_callgrind, .has_places = true },
	{ .name = "pprof", .write = export_pprof, .binary = true, .has_places = true },
	{ .name = "firefox", .set_sink = export_firefox, .begin = export_firefox_begin, .end = export_firefox_end },
	{ .name = "ctf", .set_sink = export_ctf, .begin = export_ctf_begin, .end = export_ctf_end,
	.directory = true },
	{ .name = "otf2", .set_sink = export_otf2, .begin = export_otf2_begin, .end = export_otf2_end,
	  .missing = export_otf2_missing, .directory = true },
	{ .name = "spoor", .set_sink = export_spoor, .begin = export_spoor_begin, .end = export_spoor_end,
	  .directory = true, .compresses = true },
	{ .name = "symbols", .set_sink = export_symbols, .binary = true },
};

#define FORMAT_NAMES                                                                                          \
	"perfetto, chrome, speedscope, firefox, csv, json, rowbinary, folded, callgrind, pprof, ctf, otf2, spoor or " \
	"symbols"

static const char help[] =
	"Usage: spoor export --format=FORMAT [OPTION]... [TRACE]...\n"
	"Write a trace (default: " TRACE_DEFAULT_PATH "), or several on one timeline, for other programs.\n"
	"\n"
	"      --format FORMAT   perfetto: for https://ui.perfetto.dev, the smallest;\n"
	"                        chrome: JSON for about:tracing and others;\n"
	"                        speedscope: JSON for https://www.speedscope.app;\n"
	"                        firefox: JSON for https://profiler.firefox.com;\n"
	"                        csv, json: all events as recorded;\n"
	"                        rowbinary: a row for each call, for ClickHouse;\n"
	"                        folded, callgrind, pprof: calls and times by call path, for\n"
	"                        flamegraph.pl, KCachegrind, go tool pprof;\n"
	"                        ctf: a directory with all events in the Common Trace Format\n"
	"                        1.8, for babeltrace2 and Trace Compass;\n"
	"                        otf2: a directory in the Open Trace Format 2, for Vampir and\n"
	"                        the tools of Score-P;\n"
	"                        spoor: a directory of files in the format of Microsoft's Spoor;\n"
	"                        symbols: the functions of the trace, for --symbols\n"
	"      --flat            with csv and json: the names of a function in each of its events,\n"
	"                        and not only in the first one\n"
	"      --compression HOW with --format=spoor: snappy (default) or none\n"
	"  -o, --output FILE     write to FILE (default: stdout), or to that directory\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 for a trace that is damaged or unreadable or an\n"
	"output that cannot be written, and 2 for a wrong command line. spoor-export(1)\n"
	"describes the formats.\n";

/* Tells if the format has events as recorded, not calls. */
static bool writes_events(const struct format *format)
{
	struct walk_sink sink = { 0 };

	if (format->set_sink)
		format->set_sink(&sink);
	return sink.thread_events;
}

static int parse(struct export *export, const struct format **format, const char **compression, int argc,
		 char **argv)
{
	enum { FORMAT = WALK_OWN, COMPRESSION, FLAT };
	static const struct option options[] = {
		{ "format", required_argument, NULL, FORMAT },
		{ "compression", required_argument, NULL, COMPRESSION },
		{ "flat", no_argument, NULL, FLAT },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		WALK_LONG_OPTIONS,
		{ 0 },
	};
	int option, status = 0;

	while (!status && (option = options_next(argc, argv, "o:" WALK_LETTERS, options)) != -1) {
		switch (option) {
		case FORMAT:
			*format = NULL;
			for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
				if (strcmp(optarg, formats[i].name) == 0)
					*format = &formats[i];
			if (!*format)
				status = message_usage("unknown format '%s': use " FORMAT_NAMES "", optarg);
			break;
		case COMPRESSION:
			*compression = optarg;
			if (strcmp(optarg, "snappy") != 0 && strcmp(optarg, "none") != 0)
				status = message_usage("--compression: unknown method '%s': use snappy or none",
						       optarg);
			break;
		case 'o':
			status = message_take_name("--output", optarg, &export->output_path);
			break;
		case FLAT:
			export->flat = true;
			break;
		case 'h':
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		default:
			status = walk_choice_option(&export->choice, option, optarg);
		}
	}
	if (!status && !*format)
		status = message_usage("--format is missing: use " FORMAT_NAMES "");
	if (!status)
		status = walk_choice_arguments(&export->choice, argc - optind, argv + optind);
	if (!status && writes_events(*format) && (export->choice.libraries || export->choice.functions || export->choice.least_ns ||
						  export->choice.condition))
		status = message_usage("--format=%s has events as recorded, from which --module, --function, "
				       "--min-duration and --where cannot choose: use --time", (*format)->name);
	if (!status)
		status = walk_choice_needs_order(&export->choice);
	if (!status && (*format)->missing && (*format)->missing())
		status = message_usage("%s: %s", (*format)->name, (*format)->missing());
	if (!status && export->flat && !(*format)->has_flat)
		status = message_usage("--flat requires --format=csv or json");
	if (!status && *compression && !(*format)->compresses)
		status = message_usage("--compression requires --format=spoor");
	if (!status && (*format)->directory && (!export->output_path || strcmp(export->output_path, "-") == 0))
		status = message_usage("this format is a directory: name it with -o");
	if (!status && (*format)->binary && isatty(STDOUT_FILENO) &&
	    (!export->output_path || strcmp(export->output_path, "-") == 0))
		status = message_usage("this format is binary, and stdout is a terminal: name a file with -o");
	return status;
}

/* Writes a format of call paths. Returns an exit status. @error: set to the error of writing. */
static int write_paths(struct export *export, const struct format *format, int *error)
{
	struct stacks stacks = { .wants_places = format->has_places };
	int status = stacks_read(&stacks, &export->choice);

	/* Writes the readable part of a damaged trace. */
	if (stacks_hold_any(&stacks, status))
		*error = format->write(export, &stacks);
	stacks_free(&stacks);
	return status;
}

static void trace_begin(void *context, struct walk *walk)
{
	((struct export *)context)->walk = walk;
}

/* Without a chosen process or thread no document is written, so that an older one is not replaced. */
static int trace_end(void *context)
{
	struct export *export = context;

	export->met_none = walk_met_none(export->walk);
	return export->trace_end && !export->met_none ? export->trace_end(context) : 0;
}

/* Walks the trace and writes the output. Returns an exit status. */
static int write_all(struct export *export, const struct format *format)
{
	struct walk_sink sink = { .context = export, .calls.context = export, .calls.stop = export_stop };
	int status = SPOOR_EXIT_GOOD, error, written = 0;

	if (format->set_sink)
		format->set_sink(&sink);
	export->trace_end = sink.trace_end;
	sink.trace_begin = trace_begin;
	sink.trace_end = trace_end;
	if (format->begin)
		error = format->begin(export, export->output_path);
	else
		error = output_begin(&export->out, export->output_path);
	if (!error && format->has_wakers)
		error = waker_functions_read(&export->wakers, &export->choice, 0);
	if (!error && format->write)
		status = write_paths(export, format, &written);
	else if (!error)
		status = walk_trace(&export->choice, &sink);
	export->status = status;
	formatting_end(&export->formatting);
	if (export->met_none)
		output_drop(&export->out);
	if (format->begin)
		error = error ? (format->end(export), error) : format->end(export);
	else if (!error)
		error = output_end_with(&export->out, status);
	error = error ? error : written;
	/* -ECANCELED: format->begin has printed a message. */
	if (error && error != -ECANCELED)
		message("%s: cannot write: %s", export->output_path ? export->output_path : "stdout", strerror(-error));
	if (error) {
		status = SPOOR_EXIT_BAD_TRACE;
	} else if (format->viewer) {
		output_warn_if_large(&export->out, export->output_path, format->viewer, format->holds_mb,
				 "a format of call paths (pprof, folded, callgrind)");
	}
	if (status && export->directory_is_new)
		rmdir(export->output_path);
	return status;
}

static void free_export(struct export *export)
{
	export_rowbinary_end(export);
	name_table_free(&export->names);
	waker_functions_free(&export->wakers);
	free(export->notes);
	export_chrome_end(export);
	free(export->lines);
	trace_functions_free(&export->table);
	map64_free(&export->named);
	free(export->libraries_written);
	walk_choice_end(&export->choice);
}

int export_main(int argc, char **argv)
{
	struct export export = { 0 };
	const struct format *format = NULL;
	const char *compression = NULL;
	int status;

	walk_choice_begin(&export.choice);
	status = parse(&export, &format, &compression, argc, argv);
	export.compressed = !compression || strcmp(compression, "snappy") == 0;
	if (!status)
		status = write_all(&export, format);
	free_export(&export);
	return status;
}
