/* SPDX-License-Identifier: MIT */
/*
 * ctl.c - spoor ctl: sends a request to a traced process while it is running.
 *
 * There is no socket in the process. ctl writes the request into the header of the process's pool
 * (mailbox.h), and reads the status there.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/status_page_format.h"
#include "base/commands.h"
#include "config/configuration.h"
#include "ctl/request.h"
#include "ctl/status.h"
#include "format/mailbox.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/system/proc.h"
#include "base/number_text.h"
#include "text/capture_text.h"
#include "walk/pattern_options.h"
#include "attach/find_pool.h"

static const struct word {
	const char *name;
	uint32_t command;	/* 0: status, which needs no request */
	bool has_argument;
} words[] = {
	{ "status", 0, false },
	{ "enable", SPOOR_MAIL_ENABLE, true },
	{ "disable", SPOOR_MAIL_DISABLE, true },
	{ "enable-tracepoints", SPOOR_MAIL_TRACEPOINTS_ENABLE, true },
	{ "disable-tracepoints", SPOOR_MAIL_TRACEPOINTS_DISABLE, true },
	{ "args", SPOOR_MAIL_ARGUMENTS, true },
	{ "retval", SPOOR_MAIL_RESULTS, true },
	{ "mode", SPOOR_MAIL_MODE, true },
	{ "flush", SPOOR_MAIL_FLUSH, false },
	{ "clear", SPOOR_MAIL_CLEAR, false },
	{ "stop", SPOOR_MAIL_STOP, false },
};

struct ctl {
	pid_t process_id;
	const struct word *word;
	char *modules;		/* null: all */
	bool json;
	struct spoor_mail mail;
};

static const char help[] =
	"Usage: spoor ctl [OPTION]... PID COMMAND [ARGUMENT]\n"
	"Control a traced process while it runs. The process must have your user, unless you are\n"
	"root.\n"
	"\n"
	"  status                show the mode, events, losses and enabled functions\n"
	"  enable PATTERNS       wake these functions\n"
	"  disable PATTERNS      make these functions dormant\n"
	"  enable-tracepoints PATTERNS\n"
	"                        record these static tracepoints, such as 'provider:name*'\n"
	"  disable-tracepoints PATTERNS\n"
	"                        stop recording these static tracepoints\n"
	"  args CHOICES          record the arguments of these functions and of no others, by the\n"
	"                        same choices as spoor record; '': of none\n"
	"  retval CHOICES        the same for results\n"
	"  mode MODE             change to mode log, ring, count or order; off: make all functions\n"
	"                        dormant; handler: call the program's own handler again\n"
	"  flush                 write all stored events to the trace\n"
	"  clear                 drop all stored events that are not written yet\n"
	"  stop                  make all functions dormant, write all events, free the memory\n"
	"\n"
	"  -m, --module PATTERNS\n"
	"                        with enable and disable: only in these executables and\n"
	"                        libraries\n"
	"      --format FORMAT   with status: text (default) or json\n"
	"  -q, --quiet           print only warnings and errors\n"
	"      --help            show this and exit\n"
	"\n"
	"The exit status is 0 for success, 1 if the process cannot carry out the command, and 2\n"
	"for a wrong command line. spoor-ctl(1) describes the commands.\n";

/* Copies an argument into the request. Returns 0 or an exit status. */
static int put_text(char text[SPOOR_MAIL_TEXT_BYTES], const char *argument)
{
	if (strlen(argument) >= SPOOR_MAIL_TEXT_BYTES)
		return message_usage("'%.40s...' is too long: use at most %u characters",
				     argument, SPOOR_MAIL_TEXT_BYTES - 1);
	strcpy(text, argument);
	return 0;
}

static int take_argument(struct ctl *ctl, const char *argument)
{
	int status = 0;

	if (ctl->word->command == SPOOR_MAIL_MODE) {
		if (spoor_configuration_mode(argument) < 0 && strcmp(argument, SPOOR_MODE_HANDLER) != 0)
			return message_usage("unknown mode '%s': use log, ring, count, order, off or handler",
					     argument);
	} else if (ctl->word->command == SPOOR_MAIL_ARGUMENTS || ctl->word->command == SPOOR_MAIL_RESULTS) {
		if (*argument && spoor_capture_text_check(argument) < 0)
			return message_usage("%s: '%s' is not a list of choices: use choices such as 'parse*' or "
					     "'open(path:s,flags:x)'", ctl->word->name, argument);
	} else {
		status = pattern_options_check(argument);
	}
	return status ? status : put_text(ctl->mail.functions, argument);
}

static int take_words(struct ctl *ctl, int count, char **arguments)
{
	uint64_t number;

	if (count < 2)
		return message_usage(count ? "no command for process %s: 'spoor ctl --help' lists the commands"
					   : "no process: name a process by its ID", arguments[0]);
	if (!number_text_parse(arguments[0], 1, INT32_MAX, &number))
		return message_usage("'%s' is not a process ID: 'pgrep %s' lists the IDs of a program", arguments[0], arguments[0]);
	ctl->process_id = (pid_t)number;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(arguments[1], words[i].name) == 0)
			ctl->word = &words[i];
	if (!ctl->word)
		return message_usage("unknown command '%s': use status, enable, disable, enable-tracepoints, "
				     "disable-tracepoints, args, retval, mode, flush, clear or stop", arguments[1]);
	if (ctl->word->has_argument && count < 3)
		return message_usage("no argument for '%s': 'spoor ctl --help' lists the commands with their arguments",
				     arguments[1]);
	if (count > 2 + ctl->word->has_argument)
		return message_usage("unexpected argument '%s'", arguments[2 + ctl->word->has_argument]);
	if (ctl->json && ctl->word->command)
		return message_usage("--format requires status");
	if (ctl->modules && ctl->word->command != SPOOR_MAIL_ENABLE && ctl->word->command != SPOOR_MAIL_DISABLE)
		return message_usage("--module requires enable or disable");
	ctl->mail.command = ctl->word->command;
	if (put_text(ctl->mail.modules, ctl->modules ? ctl->modules : "*"))
		return SPOOR_EXIT_USAGE;
	return ctl->word->has_argument ? take_argument(ctl, arguments[2]) : 0;
}

static int parse(struct ctl *ctl, int argc, char **argv)
{
	static const struct option options[] = {
		{ "module", required_argument, NULL, 'm' },
		{ "format", required_argument, NULL, 'F' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status;

	while ((option = options_next(argc, argv, "m:", options)) != -1) {
		switch (option) {
		case 'm':
			status = pattern_options_add(&ctl->modules, optarg);
			if (status)
				return status;
			break;
		case 'F':
			ctl->json = strcmp(optarg, "json") == 0;
			if (!ctl->json && strcmp(optarg, "text") != 0)
				return message_usage("unknown format '%s': use text or json", optarg);
			break;
		case 'h':
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		default:
			return message_usage(NULL);
		}
	}
	return take_words(ctl, argc - optind, argv + optind);
}

static void print_result(const struct ctl *ctl, const struct live_pool *live, int64_t changed)
{
	if (ctl->mail.command == SPOOR_MAIL_TRACEPOINTS_ENABLE || ctl->mail.command == SPOOR_MAIL_TRACEPOINTS_DISABLE)
		printf("%" PRId64 " tracepoint%s changed\n", changed, changed == 1 ? "" : "s");
	if (ctl->mail.command == SPOOR_MAIL_ARGUMENTS || ctl->mail.command == SPOOR_MAIL_RESULTS)
		printf("%" PRId64 " function%s with values\n", changed, changed == 1 ? "" : "s");
	if (ctl->mail.command != SPOOR_MAIL_ENABLE && ctl->mail.command != SPOOR_MAIL_DISABLE)
		return;
	if (changed == 0)
		printf("0 functions changed: no traced function matches, or all that match were %sd already\n", ctl->word->name);
	else
		printf("%" PRId64 " function%s changed\n", changed, changed == 1 ? "" : "s");
	if (ctl->mail.command != SPOOR_MAIL_ENABLE)
		return;
	if (live->pool && strncmp(spoor_pool_status_page(live->pool)->mode.text, "off", 4) == 0)
		message("the mode is off: the enabled functions wake with 'spoor ctl %d mode log' (or ring, or count)",
			(int)ctl->process_id);
	else if (!live->pool && changed == 0)
		message("if the mode is off, the enabled functions wake with 'spoor ctl %d mode log' (or ring, or "
			"count)",
			(int)ctl->process_id);
}

static int carry_out(const struct ctl *ctl, const struct live_pool *live)
{
	int64_t changed = 0;

	if (control(live, &ctl->mail, ctl->word->name, &changed))
		return SPOOR_EXIT_BAD_TRACE;
	print_result(ctl, live, changed);
	return SPOOR_EXIT_GOOD;
}

static int show_status(const struct ctl *ctl, const struct live_pool *live)
{
	struct output out;
	int error = output_begin(&out, NULL);

	if (!error) {
		ctl_status(&out, live, ctl->json);
		error = output_end(&out);
	}
	if (error)
		message("cannot write: %s", strerror(-error));
	return error ? SPOOR_EXIT_BAD_TRACE : SPOOR_EXIT_GOOD;
}

static int run(const struct ctl *ctl)
{
	int process_id = (int)ctl->process_id, status = SPOOR_EXIT_BAD_TRACE;
	struct live_pool live;

	if (live_pool_open(&live, ctl->process_id))
		return SPOOR_EXIT_BAD_TRACE;
	/* The runtime may be linked into the executable. */
	if (!*live.runtime && !live.pool)
		message("process %d has no libspoor.so: start it with spoor record, or with LD_PRELOAD", process_id);
	else if (!ctl->word->command && !live.pool)
		message("process %d " LIVE_POOL_NONE "; 'spoor record --pid %d' records a dormant process",
			process_id, process_id);
	else if (!ctl->word->command)
		status = show_status(ctl, &live);
	else
		status = carry_out(ctl, &live);
	live_pool_close(&live);
	return status;
}

int ctl_main(int argc, char **argv)
{
	struct ctl ctl = { 0 };
	int status = parse(&ctl, argc, argv);

	if (!status)
		status = proc_check();
	if (!status)
		status = run(&ctl);
	free(ctl.modules);
	return status;
}
