/* SPDX-License-Identifier: MIT */
/* findings.c - prints the findings of spoor doctor and counts the problems. */
#include "doctor/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fitted.h"
#include "base/message.h"
#include "reader/files/printable_text.h"

static bool only_problems;
static unsigned int problems;

static void report_message(const char *text)
{
	finding(FINDING_PROBLEM, "%s", text);
}

void findings_begin(bool quiet)
{
	only_problems = quiet;
	fitted_begin();
	problems = 0;
	message_divert(report_message);
}

void finding(enum finding how, const char *format, ...)
{
	static const char *const words[] = { "good", "note", "problem" };
	va_list arguments;
	char *text;

	problems += how == FINDING_PROBLEM;
	if (only_problems && how != FINDING_PROBLEM)
		return;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	clean_name(text);
	fitted_print("%-7s  %s\n", words[how], text ? text : "out of memory for the text");
	free(text);
}

unsigned int findings_end(void)
{
	message_divert(NULL);
	fitted_end();
	return problems;
}
