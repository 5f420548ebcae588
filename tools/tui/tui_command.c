/* SPDX-License-Identifier: MIT */
/* tui_command.c - spoor tui: explores the call tree of a trace in the terminal. */
#include <ncurses.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/fitted.h"
#include "base/message.h"
#include "base/command_options.h"
#include "base/output.h"
#include "tui/tui.h"

static const char help[] =
	"Usage: spoor tui [OPTION]... [TRACE]...\n"
	"Explore the call tree of traces (default: " TRACE_DEFAULT_PATH ") in the terminal.\n"
	"\n"
	WALK_HELP
	"      --help            show this and exit\n"
	"\n"
	"Keys: t tree; f functions; c callers of the chosen function; / search, n next match;\n"
	"s its source; Enter, Right and Left open and close a branch, * opens the hottest path;\n"
	"o sorts the functions by self, total or calls; arrows, Page Up and Down, Home and End\n"
	"move; q ends.\n"
	"\n"
	"The exit status is 0 for success, 1 for a trace that is damaged or unreadable, and 2 for\n"
	"a wrong command line.\n";

static int parse(struct walk_choice *choice, int argc, char **argv)
{
	static const struct option options[] = { WALK_LONG_OPTIONS, { "help", no_argument, NULL, 'h' }, { 0 } };
	int option, status = 0;

	while (!status && (option = options_next(argc, argv, WALK_LETTERS, options)) != -1) {
		if (option == 'h') {
			fitted_help(help);
			exit(SPOOR_EXIT_GOOD);
		}
		status = walk_choice_option(choice, option, optarg);
	}
	if (!status)
		status = walk_choice_arguments(choice, argc - optind, argv + optind);
	if (!status && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		status = message_usage("tui needs a terminal: 'spoor tree' writes the tree to a pipe or a file");
	return status;
}

/* Computes what the views show. Returns 0 or -ENOMEM. */
static int prepare(struct tui *tui)
{
	int error = call_graph_make(&tui->graph, &tui->stacks);

	if (!error)
		error = tui_tree_of_callees(&tui->callees, &tui->stacks);
	tui->functions = calloc(tui->stacks.names.count + 1, sizeof(*tui->functions));
	if (!tui->functions)
		return -ENOMEM;
	for (uint32_t name = 1; !error && name < tui->graph.function_count; name++)
		tui->functions[tui->function_count++] = name;
	if (error)
		return error;
	tui_sort(tui);
	if (tui->callees.visible_count)
		tui_tree_open_largest(&tui->callees, tui->callees.visible[0]);
	return 0;
}

static int run(struct tui *tui)
{
	setlocale(LC_CTYPE, "");
	output_numbers_begin();
	/* Unlike initscr, newterm does not end the process if the terminal is unknown. */
	SCREEN *screen = newterm(NULL, stdout, stdin);
	int key;

	if (!screen) {
		message("the terminal '%s' is unknown: set TERM, for example to xterm", getenv("TERM") ? getenv("TERM") : "");
		return SPOOR_EXIT_USAGE;
	}
	cbreak();
	noecho();
	keypad(stdscr, true);
	set_escdelay(25);
	curs_set(0);
	do {
		tui_draw(tui);
		key = getch();
		if (key == ERR)		/* the terminal is gone */
			break;
		if (key != KEY_RESIZE)
			tui_key(tui, key);
	} while (!tui->ended);
	endwin();
	delscreen(screen);
	return SPOOR_EXIT_GOOD;
}

int tui_main(int argc, char **argv)
{
	struct tui tui = { .stacks = { .short_names = true, .wants_places = true } };
	struct walk_choice choice;
	int status, shown;

	walk_choice_begin(&choice);
	status = parse(&choice, argc, argv);
	tui.trace_path = choice.trace_path;
	if (!status)
		status = stacks_read(&tui.stacks, &choice);
	if (stacks_hold_any(&tui.stacks, status)) {
		if (prepare(&tui) < 0) {
			message("out of memory for the call tree");
			status = SPOOR_EXIT_BAD_TRACE;
		} else {
			shown = run(&tui);
			status = status ? status : shown;
		}
	}
	free(tui.functions);
	tui_tree_free(&tui.callees);
	tui_tree_free(&tui.callers);
	call_graph_free(&tui.graph);
	stacks_free(&tui.stacks);
	walk_choice_end(&choice);
	return status;
}
