/* SPDX-License-Identifier: MIT */
/* symbol_options.c - options of all commands that read a trace. */
#include "walk/symbol_options.h"

#include <string.h>

#include "base/message.h"
#include "reader/files/trace_runs.h"
#include "reader/symbols/debug_files.h"

bool symbol_option_is(int option)
{
	return option == SYMBOL_DIRECTORY || option == SYMBOL_SERVERS || option == SYMBOL_ROOT || option == SYMBOL_RUN;
}

static int add(const char *option, int (*add)(const char *path), const char *path)
{
	int error = add(path);

	return error ? message_usage("--%s: %s: %s", option, path, strerror(-error)) : 0;
}

int symbol_option_take(int option, const char *argument)
{
	const char *wrong;

	if (option == SYMBOL_DIRECTORY)
		return add("debug-directory", debug_files_add_directory, argument);
	if (option == SYMBOL_ROOT)
		return add("sysroot", debug_files_add_root, argument);
	if (option == SYMBOL_RUN)
		return trace_runs_choose(argument) ? message_usage("--run: '%s' is not the number of a run: use a number "
								   "such as 1, or last", argument) :
						     0;
	wrong = debug_files_ask_servers();
	return wrong ? message_usage("--debuginfod: %s", wrong) : 0;
}
