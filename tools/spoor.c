/* SPDX-License-Identifier: MIT */
/* spoor.c - main() of spoor: finds the sub-command and runs it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/system/own_umask.h"
#include "base/similar.h"
#include "base/terminal.h"
#include "format/pool_format.h"
#include "base/system/signals.h"

static const struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "record", record_main, "run a program and record its calls" },
	{ "replay", replay_main, "show the calls of each thread as a tree" },
	{ "report", report_main, "show calls and times of each function" },
	{ "flame", flame_main, "show where time is spent, as a flame graph" },
	{ "view", view_main, "write a page with timeline, flame graph and table, for a browser" },
	{ "tree", tree_main, "show which call paths take the time, as a tree" },
	{ "tui", tui_main, "explore call paths, functions and callers with the keyboard" },
	{ "graph", graph_main, "show which functions call which, and how often" },
	{ "order", order_main, "write the order of first calls, for linkers" },
	{ "info", info_main, "show the contents and the losses of a trace" },
	{ "pack", pack_main, "put into a trace the symbols that it needs elsewhere" },
	{ "top", top_main, "show the functions of a running process, as top does" },
	{ "ctl", ctl_main, "control a process that is traced: status, enable, flush, stop" },
	{ "doctor", doctor_main, "explain why a trace is empty, or would be" },
	{ "config", config_main, "show the runtime's configuration and its sources" },
	{ "export", export_main, "write a trace for other programs: Perfetto, Chrome, CSV" },
	{ "symbols", symbols_main, "list the functions of programs and libraries, traced or not" },
	{ "filters", filters_main, "explain a filters file, or suggest one from a trace" },
	{ "tracepoints", tracepoints_main, "list static tracepoints of programs, libraries and processes" },
};

#define THREAD_STACK_BYTES_MAX ((size_t)8 << 20)
#define COMMAND_COUNT (sizeof(commands) / sizeof(*commands))

static void show_help(FILE *out)
{
	static const char *const notes[] = {
		"'spoor COMMAND --help' shows a command's options, 'man spoor-COMMAND' its manual.",
		"'spoor --version' shows the version.",
	};
	size_t width = out == stdout ? terminal_width() : 0;
	char line[128];

	fputs("Usage: spoor COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:\n", out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fitted_line(out, line, (size_t)snprintf(line, sizeof(line), "  %-11s  %s", commands[i].name, commands[i].summary), width);
	fputc('\n', out);
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		fitted_line(out, notes[i], strlen(notes[i]), width);
}

/*
 * Opens a placeholder for each of stdin, stdout and stderr that is closed. Otherwise the next file that
 * is opened would get that number: messages would be written into it, or it would be read while it is
 * written. The placeholder can be neither read nor written, and started programs do not inherit it.
 */
static void fill_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			open("/", O_PATH | O_CLOEXEC);
	}
}

/* Runs at the end: reports whether all output through stdio was written. A closed pipe is not an error. */
static void check_stdout(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	if (!fflush(stdout) && !ferror(stdout))
		return;
	if (errno == EPIPE || (poll(&out, 1, 0) == 1 && out.revents & POLLERR))
		return;
	message("cannot write: %s", strerror(errno));
	_exit(SPOOR_EXIT_BAD_TRACE);
}

/* With a very large limit of the stack no thread could be created: its stack has the size of the limit. */
static void bound_stacks(void)
{
	pthread_attr_t attributes;
	size_t bytes;

	if (pthread_getattr_default_np(&attributes))
		return;
	if (!pthread_attr_getstacksize(&attributes, &bytes) && bytes > THREAD_STACK_BYTES_MAX &&
	    !pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES_MAX))
		pthread_setattr_default_np(&attributes);
	pthread_attr_destroy(&attributes);
}

/* Returns an exit status after a message. */
static int unknown_command(const char *typed)
{
	struct similar similar;
	const char *best;

	similar_begin(&similar, typed, strlen(typed));
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		similar_offer(&similar, commands[i].name, commands[i].name);
	best = similar_best(&similar);
	if (best)
		return message_usage("unknown command '%s': did you mean '%s'?", typed, best);
	if (strchr(typed, '/') || access(typed, F_OK) == 0)
		return message_usage("unknown command '%s': 'spoor record %s' records a program", typed, typed);
	if (*typed == '-')
		return message_usage("unknown option '%s': options come after a command, such as 'spoor report'", typed);
	return message_usage("unknown command '%s': 'spoor --help' lists the commands", typed);
}

int main(int argc, char **argv)
{
	/* The traced process and the tools find the recorder by this name. The file may have another one. */
	prctl(PR_SET_NAME, "spoor");
	own_umask_begin();
	fill_standard_files();
	atexit(check_stdout);
	signals_begin();
	bound_stacks();
	if (argc < 2) {
		show_help(stderr);
		return SPOOR_EXIT_USAGE;
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(argv[1], commands[i].name) == 0) {
			message_begin(commands[i].name);
			return commands[i].main(argc - 1, argv + 1);
		}
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		show_help(stdout);
		return SPOOR_EXIT_GOOD;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("spoor " PACKAGE_VERSION);
		return SPOOR_EXIT_GOOD;
	}
	return unknown_command(argv[1]);
}
