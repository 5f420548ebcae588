/* SPDX-License-Identifier: MIT */
/*
 * function_text.h - stores how the functions of a process are shown in a tree. Each is looked up once.
 *
 * If memory runs out, prints a message and ends the program.
 */
#ifndef SPOOR_TOOLS_WALK_FUNCTION_TEXT_H
#define SPOOR_TOOLS_WALK_FUNCTION_TEXT_H

#include "reader/symbols/functions.h"

struct function_text {
	char *text;		/* "foo() libfoo.so", followed by REPLAY_PIECE bytes */
	uint32_t name_length;
	uint32_t length;
	uint32_t stem_length;	/* of the name without its parameters */
	bool matches;		/* matches the patterns */
};

struct replay_texts {
	struct functions *functions;
	const char *patterns;		/* null: all functions match */
	bool colored;
	struct function_text *list;	/* by function number */
	uint32_t count;
};

const struct function_text *replay_text_make(struct replay_texts *texts, uint32_t function);
void replay_texts_free(struct replay_texts *texts);

static inline const struct function_text *replay_text(struct replay_texts *texts, uint32_t function)
{
	if (__builtin_expect(function < texts->count && texts->list[function].text, 1))
		return &texts->list[function];
	return replay_text_make(texts, function);
}

#endif
