/* SPDX-License-Identifier: MIT */
/* fitted.c - prints lines that fit the terminal. */
#include "base/fitted.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"

#define OPTION_COLUMN 24u	/* of the descriptions in help texts */
#define TEXT_LEAST 20u		/* characters of text beside the indentation */

static struct {
	char *text;		/* of the current line, as printed so far */
	size_t length;
	size_t width;
} current;

/* Returns the number of characters in UTF-8. */
static size_t characters(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += (text[i] & 0xc0) != 0x80;
	return count;
}

/* Returns where the further lines of a line begin. */
static size_t indentation(const char *line, size_t length, size_t width)
{
	size_t begin = 0, at, gap;

	while (begin < length && line[begin] == ' ')
		begin++;
	for (at = begin; at + 1 < length && !(line[at] == ' ' && line[at + 1] == ' '); at++)
		;
	for (gap = at; gap < length && line[gap] == ' '; gap++)
		;
	if (at + 1 >= length || gap == length || gap + TEXT_LEAST > width)
		return begin + 2;
	return characters(line, gap);
}

static void put_broken(FILE *out, const char *line, size_t length, size_t width, size_t indent)
{
	bool is_first = true;

	while (characters(line, length) > width - (is_first ? 0 : indent)) {
		size_t room = width - (is_first ? 0 : indent), end = 0, at = 0, begin = is_first ? indent : 0;

		/* The last space in the room, or the first one after it. */
		for (size_t column = 0; at < length && (column <= room || !end); at++) {
			column += (line[at] & 0xc0) != 0x80;
			if (line[at] == ' ' && at > begin && line[at - 1] != ' ')
				end = at;
		}
		if (!end)
			break;
		fprintf(out, "%*s%.*s\n", is_first ? 0 : (int)indent, "", (int)end, line);
		while (end < length && line[end] == ' ')
			end++;
		line += end;
		length -= end;
		is_first = false;
	}
	if (length)
		fprintf(out, "%*s%.*s\n", is_first ? 0 : (int)indent, "", (int)length, line);
}

void fitted_line(FILE *out, const char *line, size_t length, size_t width)
{
	size_t indent = width ? indentation(line, length, width) : 0;

	if (!width || characters(line, length) <= width || indent + TEXT_LEAST > width)
		fprintf(out, "%.*s\n", (int)length, line);
	else
		put_broken(out, line, length, width, indent);
}

/* Writes all whole lines. */
static void write_lines(void)
{
	char *line = current.text, *end;
	size_t left = current.length;

	while ((end = memchr(line, '\n', left))) {
		fitted_line(stdout, line, (size_t)(end - line), current.width);
		left -= (size_t)(end + 1 - line);
		line = end + 1;
	}
	memmove(current.text, line, left);
	current.length = left;
}

void fitted_begin(void)
{
	current.width = terminal_width();
}

void fitted_print(const char *format, ...)
{
	va_list arguments;
	char *text, *more;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	more = realloc(current.text, current.length + (size_t)length + 1);
	if (more) {
		memcpy(more + current.length, text, (size_t)length);
		current.text = more;
		current.length += (size_t)length;
		write_lines();
	}
	free(text);
}

void fitted_end(void)
{
	if (current.length)
		fwrite(current.text, 1, current.length, stdout);
	free(current.text);
	current.text = NULL;
	current.length = 0;
}

static size_t leading_spaces(const char *line)
{
	return strspn(line, " ");
}

/* Appends the text of the next line, [@next, @end). Returns false without memory. */
static bool append(char **line, const char *next, const char *end)
{
	char *joined;

	next += leading_spaces(next);
	if (asprintf(&joined, "%s %.*s", *line, (int)(end - next), next) < 0)
		return false;
	free(*line);
	*line = joined;
	return true;
}

void fitted_help(const char *text)
{
	size_t width = terminal_width();

	while (*text) {
		const char *end = strchrnul(text, '\n');
		size_t spaces = leading_spaces(text), length = (size_t)(end - text);
		bool describes = spaces == OPTION_COLUMN || (spaces && spaces <= 8 && length > OPTION_COLUMN &&
							     text[OPTION_COLUMN - 1] == ' ' && text[OPTION_COLUMN] != ' ');
		bool is_paragraph = length && !spaces && strncmp(text, "Usage:", strlen("Usage:")) != 0;
		char *line = strndup(text, length);

		while (line && width && *end && end[1] && end[1] != '\n' && (describes || is_paragraph) &&
		       leading_spaces(end + 1) == (describes ? OPTION_COLUMN : 0)) {
			const char *next = end + 1;

			end = strchrnul(next, '\n');
			if (!append(&line, next, end))
				break;
		}
		if (!line)
			return;
		if (width > OPTION_COLUMN + TEXT_LEAST && (describes || is_paragraph))
			put_broken(stdout, line, strlen(line), width, describes ? OPTION_COLUMN : 0);
		else
			fitted_line(stdout, line, strlen(line), width);
		free(line);
		text = *end ? end + 1 : end;
	}
}
