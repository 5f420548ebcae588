/* SPDX-License-Identifier: MIT */
/* words.c - reads a command line as clang does, with the contents of response files. */
#define _GNU_SOURCE
#include "driver/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH_MAX 16

int words_add(struct words *words, const char *text, int argument)
{
	if (words->count == words->room) {
		size_t room = words->room ? 2 * words->room : 64;
		struct word *grown = realloc(words->list, room * sizeof *grown);

		if (!grown)
			return -ENOMEM;
		words->list = grown;
		words->room = room;
	}
	words->list[words->count++] = (struct word){text, argument, false, false};
	return 0;
}

/* Returns the contents of a file with a final NUL, or null. */
static char *read_file(const char *path, bool *drained)
{
	FILE *file = fopen(path, "r");
	struct stat status;
	size_t size = 0, room = 4096;
	char *text = NULL;

	if (!file)
		return NULL;
	*drained = fstat(fileno(file), &status) == 0 && !S_ISREG(status.st_mode);
	for (;;) {
		char *grown = realloc(text, room);

		if (!grown)
			break;
		text = grown;
		size += fread(text + size, 1, room - 1 - size, file);
		if (size < room - 1) {
			bool whole = !ferror(file);

			text[size] = '\0';
			fclose(file);
			if (whole)
				return text;
			free(text);
			return NULL;
		}
		room *= 2;
	}
	free(text);
	fclose(file);
	return NULL;
}

/*
 * Cuts the next word off @cursor, in place, by the rules of GNU response files: white space separates
 * words, quotes of both kinds hold words together, and a backslash quotes the next character except in
 * single quotes.
 */
static char *next_word(char **cursor)
{
	char *in = *cursor, *out, *word, quote = '\0';

	while (isspace((unsigned char)*in))
		in++;
	if (!*in)
		return NULL;
	word = out = in;
	for (; *in; in++) {
		if (!quote && isspace((unsigned char)*in))
			break;
		if (*in == '\\' && quote != '\'' && in[1])
			*out++ = *++in;
		else if (quote && *in == quote)
			quote = '\0';
		else if (!quote && (*in == '"' || *in == '\''))
			quote = *in;
		else
			*out++ = *in;
	}
	*cursor = *in ? in + 1 : in;
	*out = '\0';
	return word;
}

static int keep(struct words *words, char *content)
{
	char **grown = realloc(words->contents, (words->content_count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	words->contents = grown;
	grown[words->content_count++] = content;
	return 0;
}

void words_free(struct words *words)
{
	for (size_t i = 0; i < words->content_count; i++)
		free(words->contents[i]);
	free(words->contents);
	free(words->list);
	*words = (struct words){NULL, 0, 0, NULL, 0};
}

static int add(struct words *words, const char *text, int argument, int depth)
{
	char *content, *cursor, *word;
	size_t before = words->count;
	bool drained;
	int result = 0;

	if (text[0] != '@' || !text[1])
		return words_add(words, text, argument);
	if (depth == DEPTH_MAX)
		return -ELOOP;
	content = read_file(text + 1, &drained);
	if (!content)
		return words_add(words, text, argument);
	cursor = content;
	while (result >= 0 && (word = next_word(&cursor)))
		result = add(words, word, argument, depth + 1);
	for (size_t i = before; drained && i < words->count; i++)
		words->list[i].drained = true;
	if (words->count == before)
		free(content);
	else if (result >= 0)
		result = keep(words, content);
	return result;
}

int words_add_argument(struct words *words, const char *text, int argument)
{
	return add(words, text, argument, 0);
}
