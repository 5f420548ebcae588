/* SPDX-License-Identifier: MIT */
/* doctor.c - spoor doctor: why a trace is empty, or would be. */
#include "doctor/doctor.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/commands.h"
#include "doctor/findings.h"
#include "base/message.h"
#include "reader/files/trace_reader.h"
#include "walk/symbol_options.h"

static const char help[] =
	"Usage: spoor doctor [OPTION]... [PROGRAM|PID|TRACE]\n"
	"Say why a trace is empty, or would be: what stands in the way of recording PROGRAM,\n"
	"what a running process has enabled, what is missing from TRACE. Without an argument:\n"
	"whether programs can be traced here at all. Nothing is run, and nothing changed.\n"
	"\n"
	"  -q, --quiet           problems alone\n"
	SYMBOL_HELP
	"      --help            show this and exit\n"
	"\n"
	"A line each: good, note or problem, and the way out. The exit status is 0, 1 where there is\n"
	"a problem, 2 for a wrong command line. spoor-doctor(1) says more.\n";

/* Return: a process's ID, or 0. A file of that name is "./123". */
static pid_t as_process(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	return *text >= '0' && *text <= '9' && !*end && value > 0 && value < INT32_MAX ? (pid_t)value : 0;
}

/* A folder, or a file of version 0. */
static bool is_trace(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat status;

	return stat(path, &status) == 0 && (S_ISDIR(status.st_mode) || version0_is_name(slash ? slash + 1 : path));
}

static void look_at(const char *what)
{
	if (what && is_trace(what)) {
		doctor_trace(what);
	} else if (what && as_process(what)) {
		doctor_process(as_process(what));
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

	while ((option = getopt_long(argc, argv, "q", options, NULL)) != -1) {
		switch (option) {
		case 'q':
			quiet = true;
			break;
		case 'h':
			fputs(help, stdout);
			return SPOOR_EXIT_GOOD;
		default:
			status = symbol_option_is(option) ? symbol_option_take(option, optarg) : message_usage(NULL);
			if (status)
				return status;
		}
	}
	if (argc - optind > 1)
		return message_usage("'%s' is too much", argv[optind + 1]);
	findings_begin(quiet);
	look_at(argv[optind]);
	problems = findings_end();
	return problems ? SPOOR_EXIT_BAD_TRACE : SPOOR_EXIT_GOOD;
}
