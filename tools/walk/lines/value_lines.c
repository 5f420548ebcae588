/* SPDX-License-Identifier: MIT */
/* value_lines.c - writes a call with its arguments and result. */
#include "walk/lines/value_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "reader/types/shown_values.h"
#include "walk/lines/line.h"

static void no_memory(void)
{
	message("out of memory");
	exit(SPOOR_EXIT_BAD_TRACE);
}

static char *text_of(const struct call_values *values)
{
	char *text = values ? shown_values_text(values) : NULL;

	if (values && !text)
		no_memory();
	return text;
}

char *value_line_make(const struct function_text *text, const struct call_values *arguments,
		      const struct call_values *result, bool with_library)
{
	char *inside = text_of(arguments), *after = text_of(result), *line = NULL;
	const char *plain = *text->text == '\033' ? REPLAY_PLAIN : "";
	int done;

	if (inside)
		done = asprintf(&line, "%.*s%s(%s)", (int)text->stem_length, text->text, plain, inside);
	else
		done = asprintf(&line, "%.*s", (int)text->name_length, text->text);
	if (done >= 0 && (after || with_library)) {
		char *whole;

		done = asprintf(&whole, "%s%s%s%s", line, after ? " = " : "", after ? after : "",
				with_library ? text->text + text->name_length : "");
		free(line);
		line = whole;
	}
	free(inside);
	free(after);
	if (done < 0)
		no_memory();
	return line;
}
