/* SPDX-License-Identifier: MIT */
/* function_text.c - stores how the functions of a process are shown in a tree. */
#include "walk/lines/function_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "walk/pattern_options.h"
#include "walk/lines/line.h"

static void no_memory(void)
{
	message("out of memory for the names of functions");
	exit(SPOOR_EXIT_BAD_TRACE);
}

/* Returns the length of a name without its parameters: "parse", "ns::f" of "ns::f(int, char const*) const". */
static size_t stem_length(const char *name)
{
	const char *end = strrchr(name, ')'), *at = end;
	int depth = 0;

	for (; at && at > name; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (!depth)
			break;
	}
	return at && at > name ? (size_t)(at - name) : strlen(name);
}

static void make_room(struct replay_texts *texts, uint32_t function)
{
	uint32_t count = function < 128 ? 256 : 2 * function;
	struct function_text *list;

	if (function < texts->count)
		return;
	list = reallocarray(texts->list, count, sizeof(*list));
	if (!list)
		no_memory();
	memset(list + texts->count, 0, (count - texts->count) * sizeof(*list));
	texts->list = list;
	texts->count = count;
}

static bool has_parentheses(const char *name)
{
	static const char anonymous[] = "(anon)";
	const char *at = strchr(name, '(');

	while (at && strncmp(at, anonymous, sizeof(anonymous) - 1) == 0)
		at = strchr(at + 1, '(');
	return at;
}

const struct function_text *replay_text_make(struct replay_texts *texts, uint32_t function)
{
	const char *name = function_short_name(texts->functions, function);
	const char *library = function_library(texts->functions, function);
	/* Adds parentheses to names without parameters, as in C and Rust, */
	/* but not to Objective-C's "-[Shape area]". */
	bool add = !has_parentheses(name) && strncmp(name, "-[", 2) != 0 && strncmp(name, "+[", 2) != 0 &&
		   function_has_name(texts->functions, function);
	size_t room = strlen(name) + strlen(library) + 32 + REPLAY_PIECE;
	/* A text that is cut would lose the code that ends its colour. */
	bool colored = texts->colored && room <= REPLAY_TEXT_MAX;
	struct function_text *text;

	make_room(texts, function);
	text = &texts->list[function];
	text->text = malloc(room);
	if (!text->text)
		no_memory();
	text->name_length = (uint32_t)snprintf(text->text, room, "%s%s%s%s", colored ? REPLAY_NAME : "", name, add ? "()" : "",
					       colored ? REPLAY_PLAIN : "");
	text->stem_length = (uint32_t)(stem_length(name) + (colored ? strlen(REPLAY_NAME) : 0));
	text->length = text->name_length + (uint32_t)snprintf(text->text + text->name_length, room - text->name_length, " %s%s%s",
							      colored ? REPLAY_LIBRARY : "", library,
							      colored ? REPLAY_PLAIN : "");
	text->matches = !texts->patterns || function_matches(texts->functions, function, texts->patterns);
	return text;
}

void replay_texts_free(struct replay_texts *texts)
{
	for (uint32_t i = 0; i < texts->count; i++)
		free(texts->list[i].text);
	free(texts->list);
	texts->list = NULL;
	texts->count = 0;
}
