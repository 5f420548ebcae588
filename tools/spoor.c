/* SPDX-License-Identifier: MIT */
/* spoor.c - the command line of spoor: finds the sub-command and runs it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/message.h"
#include "format/pool_format.h"
#include "base/signals.h"

static const struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "record", record_main, "run a program and record its calls" },
	{ "replay", replay_main, "show the calls of each thread as a tree" },
	{ "report", report_main, "show calls and times of each function" },
	{ "flame", flame_main, "show where the time goes, as a flame graph" },
	{ "view", view_main, "write a page with timeline, flame graph and table, for a browser" },
	{ "graph", graph_main, "show which function calls which, and how often" },
	{ "order", order_main, "write the order of first calls, for linkers" },
	{ "info", info_main, "show what was recorded, and what was lost" },
	{ "pack", pack_main, "put into a trace what it needs on another machine" },
	{ "top", top_main, "show what the functions of a running process do, as top does" },
	{ "ctl", ctl_main, "control a process that is traced: status, enable, flush, stop" },
	{ "doctor", doctor_main, "say why a trace is empty, or would be" },
	{ "config", config_main, "show the runtime's configuration, and where it comes from" },
	{ "export", export_main, "write a trace for other programs: Perfetto, Chrome, CSV" },
	{ "symbols", symbols_main, "list the functions of programs and libraries, traced or not" },
	{ "filters", filters_main, "show what a filters file does, or suggest one from a trace" },
	{ "tracepoints", tracepoints_main, "list static tracepoints of programs, libraries and processes" },
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(*commands))

static void show_help(FILE *out)
{
	fputs("Usage: spoor COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:\n", out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-11s  %s\n", commands[i].name, commands[i].summary);
	fputs("\n'spoor COMMAND --help' shows a command's options, 'man spoor-COMMAND' its manual.\n"
	      "'spoor --version' shows the version.\n", out);
}

/*
 * Where stdin, stdout or stderr is closed, the next file that is opened would be in its place, and have
 * messages in it, or be read while it is written. What stands there instead can neither be read nor
 * written, and programs that are started do not have it.
 */
static void hold_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			open("/", O_PATH | O_CLOEXEC);
	}
}

/* At the end: whether what went through stdio, --help too, has been written. A reader may go away. */
static void look_at_stdout(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	if (!fflush(stdout) && !ferror(stdout))
		return;
	if (errno == EPIPE || (poll(&out, 1, 0) == 1 && out.revents & POLLERR))
		return;
	message("cannot write: %s", strerror(errno));
	_exit(SPOOR_EXIT_BAD_TRACE);
}

int main(int argc, char **argv)
{
	static char complainer[32];	/* whose messages getopt(3)'s are */

	/* By which a traced process, and those who look at it, know who records it; the file may have any name. */
	prctl(PR_SET_NAME, "spoor");
	hold_standard_files();
	atexit(look_at_stdout);
	signals_begin();
	if (argc < 2) {
		show_help(stderr);
		return SPOOR_EXIT_USAGE;
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(argv[1], commands[i].name) == 0) {
			message_begin(commands[i].name);
			snprintf(complainer, sizeof(complainer), "spoor: %s", commands[i].name);
			argv[1] = complainer;
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
	return message_usage("'%s' is no command of spoor", argv[1]);
}
