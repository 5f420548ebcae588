/* SPDX-License-Identifier: MIT */
/* pack.c - spoor pack: puts into a trace the symbols that it needs on another machine. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "reader/packed/pack_file.h"
#include "reader/packed/symbol_pack.h"
#include "reader/files/trace_reader.h"
#include "reader/files/trace_runs.h"
#include "walk/symbol_options.h"
#include "pack/trace_copy.h"
#include "walk/trace_directory.h"

static const char help[] =
	"Usage: spoor pack [OPTION]... [TRACE]\n"
	"Put into a trace (default: " TRACE_DEFAULT_PATH ") the symbols that it needs to open on\n"
	"another machine: the part of each executable and library that names functions, without\n"
	"code. The tools find these files by build-id.\n"
	"\n"
	"  -o, --output DIR      make a packed copy in DIR, and do not change the trace\n"
	SYMBOL_HELP
	"  -q, --quiet           print only warnings and errors\n"
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 if a file is missing, is a different build than the\n"
	"traced one, or cannot be written, and 2 for a wrong command line. spoor-pack(1) describes\n"
	"the details.\n";

struct packer {
	struct trace trace;
	char folder[PATH_MAX];	/* for the packed files */
	unsigned int packed;	/* number of packed files */
	int status;
};

static void pack_module(struct packer *packer, struct symbol_file *file)
{
	const char *wrong = NULL;
	char *path = NULL;

	if (!file->count)
		return;
	if (!symbol_file_check(file)) {		/* it has printed a message */
		packer->status = SPOOR_EXIT_BAD_TRACE;
		return;
	}
	if (symbol_pack_path(packer->folder, file, &path))
		wrong = "out of memory";
	else
		wrong = pack_file(file, path);
	packer->packed += !wrong;
	if (wrong) {
		message("%s: cannot pack: %s", file->shown_path, wrong);
		packer->status = SPOOR_EXIT_BAD_TRACE;
	}
	free(path);
}

/* Makes the folder for packed files. Returns 0, or a negative errno after a message. */
static int make_folder(struct packer *packer, const char *directory)
{
	struct stat status;
	int error = 0;

	if (snprintf(packer->folder, sizeof(packer->folder), "%s/" SYMBOL_PACK_FOLDER,
	directory) >= (int)sizeof(packer->folder) - 600)
		error = -ENAMETOOLONG;
	else if (mkdir(packer->folder, 0700) < 0 && errno != EEXIST)
		error = -errno;
	else if (lstat(packer->folder, &status) < 0 || !S_ISDIR(status.st_mode))
		error = -ENOTDIR;
	if (error)
		message("%s: cannot create the folder for symbols: %s", directory, strerror(-error));
	return error;
}

/* Reads the processes of the trace, which loads its list of modules. */
static void read_modules(struct packer *packer)
{
	for (size_t i = 0; i < packer->trace.count; i++) {
		struct process process;

		if (trace_open_process(&packer->trace, i, &process)) {
			packer->status = SPOOR_EXIT_BAD_TRACE;
			continue;
		}
		if (process.damaged)
			packer->status = SPOOR_EXIT_BAD_TRACE;
		process_close(&process);
	}
}

static bool is_same_folder(const char *path, const char *other)
{
	struct stat one, two;

	return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static int pack_trace(const char *path, const char *output)
{
	struct packer packer = { 0 };
	char directory[PATH_MAX];

	if (trace_open(&packer.trace, path, true))
		return SPOOR_EXIT_BAD_TRACE;
	if (trace_runs_apply(&packer.trace)) {
		trace_close(&packer.trace);
		return SPOOR_EXIT_BAD_TRACE;
	}
	if (output && is_same_folder(output, packer.trace.path)) {
		message("%s: is the trace itself: leave out -o to pack the trace in place", output);
		trace_close(&packer.trace);
		return SPOOR_EXIT_USAGE;
	}
	if (output && trace_directory_make(output, directory, sizeof(directory))) {
		trace_close(&packer.trace);
		return SPOOR_EXIT_BAD_TRACE;
	}
	read_modules(&packer);
	if (make_folder(&packer, output ? directory : packer.trace.path) ||
	    (output && trace_copy(&packer.trace, directory)))
		packer.status = SPOOR_EXIT_BAD_TRACE;
	else
		for (size_t i = 0; i < packer.trace.symbols.count; i++)
			pack_module(&packer, packer.trace.symbols.files[i]);
	if (output && !packer.status)
		trace_directory_done();
	if (packer.packed)
		message("%u module%s packed in %s", packer.packed, packer.packed == 1 ? " is" : "s are", packer.folder);
	trace_close(&packer.trace);
	return packer.status;
}

int pack_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		SYMBOL_LONG_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *output = NULL;
	int option, status;

	while ((option = options_next(argc, argv, "o:", options)) != -1) {
		switch (option) {
		case 'o':
			if (message_take_name("--output", optarg, &output))
				return SPOOR_EXIT_USAGE;
			break;
		case 'h':
			fitted_help(help);
			return SPOOR_EXIT_GOOD;
		default:
			status = symbol_option_is(option) ? symbol_option_take(option, optarg) : message_usage(NULL);
			if (status)
				return status;
		}
	}
	if (argc - optind > 1)
		return message_usage("unexpected argument '%s': pack takes one trace", argv[optind + 1]);
	return pack_trace(optind < argc ? argv[optind] : TRACE_DEFAULT_PATH, output);
}
