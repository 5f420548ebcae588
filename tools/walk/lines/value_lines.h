/* SPDX-License-Identifier: MIT */
/* value_lines.h - writes a call with its arguments and result: "parse(n=3, \"abc\") = 7 libfoo.so". */
#ifndef SPOOR_TOOLS_VALUE_LINES_H
#define SPOOR_TOOLS_VALUE_LINES_H

#include "reader/events/call_values.h"
#include "walk/lines/function_text.h"

/* See value_line. Ends the program if memory runs out. */
char *value_line_make(const struct function_text *text, const struct call_values *arguments,
		      const struct call_values *result, const struct call_values *begun, bool with_library);

/*
 * value_line - writes a call's name with its values.
 * @begun: the arguments again, for the processor time that the call took, also if they are not written
 * @with_library: adds the function's library
 *
 * Returns a string that the caller frees, or null if there are no values.
 */
static inline char *value_line(const struct function_text *text, const struct call_values *arguments,
			       const struct call_values *result, const struct call_values *begun, bool with_library)
{
	if (__builtin_expect(!arguments && !result, 1))
		return NULL;
	return value_line_make(text, arguments, result, begun, with_library);
}

#endif
