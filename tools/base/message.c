/* SPDX-License-Identifier: MIT */
/* message.c - writes the messages of the tools to stderr. */
#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/progress.h"

static const char *command_name = "";
static bool quiet;
static __thread void (*receiver)(const char *text);	/* for the calling thread only; null: stderr */

void message_begin(const char *command)
{
	command_name = command;
}

void message_divert(void (*take)(const char *text))
{
	receiver = take;
}

void (*message_diverted(void))(const char *text)
{
	return receiver;
}

static void write_line(const char *format, va_list arguments)
{
	char *text;

	progress_wipe();
	if (receiver && vasprintf(&text, format, arguments) >= 0) {
		receiver(text);
		free(text);
		return;
	}
	fprintf(stderr, "spoor: %s%s", command_name, *command_name ? ": " : "");
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

void message(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(format, arguments);
	va_end(arguments);
}

void message_note(const char *format, ...)
{
	va_list arguments;

	if (quiet)
		return;
	va_start(arguments, format);
	write_line(format, arguments);
	va_end(arguments);
}

void message_set_quiet(void)
{
	quiet = true;
}

bool message_is_quiet(void)
{
	return quiet;
}

int message_usage(const char *format, ...)
{
	va_list arguments;

	if (format) {
		va_start(arguments, format);
		write_line(format, arguments);
		va_end(arguments);
	}
	fprintf(stderr, "Try 'spoor %s%s--help'.\n", command_name, *command_name ? " " : "");
	return SPOOR_EXIT_USAGE;
}

int message_take_name(const char *option, const char *argument, const char **name)
{
	*name = argument;
	return *argument ? 0 : message_usage("%s: the name is empty", option);
}
