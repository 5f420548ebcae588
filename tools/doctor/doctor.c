/* SPDX-License-Identifier: MIT */
/* doctor.c - spoor doctor: explains why a trace is empty, or would be. */
#include "doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/commands.h"
#include "doctor/findings.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "reader/files/trace_reader.h"
#include "walk/symbol_options.h"

static const char help[] =
	"Usage: spoor doctor [OPTION]... [PROGRAM|PID|TRACE]\n"
	"Explain why a trace is empty, or would be: check whether PROGRAM can be recorded, the\n"
	"state of a running process, or the losses of TRACE. Without an argument check whether\n"
	"this system can trace programs at all. Runs no program and changes no file.\n"
	"\n"
	"  -q, --quiet           show only problems\n"
	SYMBOL_HELP
	"      --help            show this and exit\n"
	"\n"
	"Each line is good, note or problem, and says what to do. The exit status is 0 without\n"
	"problems, 1 with problems, and 2 for a wrong command line. spoor-doctor(1) describes the\n"
	"checks.\n";

/* Returns a process ID, or 0 for other text. A program of that name must be given as "./123". */
static pid_t parse_process_id(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	return *text >= '0' && *text <= '9' && !*end && value > 0 && value < INT32_MAX ? (pid_t)value : 0;
}

/* Tells if the path is a directory, or a file of version 0. */
static bool is_trace(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat status;

	return stat(path, &status) == 0 && (S_ISDIR(status.st_mode) || version0_is_name(slash ? slash + 1 : path));
}

static void check_argument(const char *what)
{
	if (what && is_trace(what)) {
		doctor_trace(what);
	} else if (what && parse_process_id(what)) {
		doctor_process(parse_process_id(what));
	} else {
		doctor_installation();
		if (what)
			doctor_program(what);
	}
}

int doctor_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "quiet", no_argument, NULL, 'q' },
		SYMBOL_LONG_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool quiet = false;
	unsigned int problems;
	int option, status;

	while ((option = options_next(argc, argv, "q", options)) != -1) {
		switch (option) {
		case 'q':
			quiet = true;
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
		return message_usage("unexpected argument '%s': doctor checks one program, process or trace",
				     argv[optind + 1]);
	findings_begin(quiet);
	check_argument(argv[optind]);
	problems = findings_end();
	return problems ? SPOOR_EXIT_BAD_TRACE : SPOOR_EXIT_GOOD;
}
