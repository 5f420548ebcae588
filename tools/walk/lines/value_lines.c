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
	char *text = values ? shown_values_text(values, false) : NULL;

	if (values && !text)
		no_memory();
	return text;
}

/* Writes how long the call had a processor: " [cpu 21.3 us]", or "" if the trace does not say so. */
static void put_cpu_time(char text[OUTPUT_DURATION_MAX + 16], const struct call_values *begun, const struct call_values *result)
{
	char duration[OUTPUT_DURATION_MAX + 1];
	uint64_t begin_ns, end_ns;

	*text = '\0';
	if (!call_values_cpu_time(begun, &begin_ns) || !call_values_cpu_time(result, &end_ns) || end_ns < begin_ns)
		return;
	*output_duration_at(duration, end_ns - begin_ns) = '\0';
	sprintf(text, " [cpu %s]", duration + strspn(duration, " "));
}

char *value_line_make(const struct function_text *text, const struct call_values *arguments,
		      const struct call_values *result, const struct call_values *begun, bool with_library)
{
	char *inside = text_of(arguments), *after = text_of(result), *line = NULL, cpu_time[OUTPUT_DURATION_MAX + 16];
	const char *plain = *text->text == '\033' ? REPLAY_PLAIN : "";
	int done;

	if (inside)
		done = asprintf(&line, "%.*s%s(%s)", (int)text->stem_length, text->text, plain, inside);
	else
		done = asprintf(&line, "%.*s", (int)text->name_length, text->text);
	put_cpu_time(cpu_time, begun, result);
	if (done >= 0 && (after || with_library)) {
		char *whole;

		done = asprintf(&whole, "%s%s%s%s%s", line, after && *after ? " = " : "", after ? after : "", cpu_time,
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
