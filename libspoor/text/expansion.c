/* SPDX-License-Identifier: MIT */
/* expansion.c - expands "~" and variables in paths as a shell does. Not every path comes through a shell. */
#include "text/expansion.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 256u

static bool is_name_byte(char byte, bool first)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
	       (!first && byte >= '0' && byte <= '9');
}

/* Finds the value of the variable whose name follows the '$' at @text. Returns the number of bytes of '$' and
 * name, or -EINVAL. */
static long variable(const char *text, const char **value, const char **fault)
{
	bool braces = text[1] == '{';
	const char *begin = text + 1 + braces, *end = begin;
	char name[NAME_BYTES];

	while (is_name_byte(*end, end == begin))
		end++;
	if (end == begin || (braces && *end != '}') || (size_t)(end - begin) >= sizeof(name)) {
		*fault = "a '$' without a variable's name: write '$$' for a dollar sign";
		return -EINVAL;
	}
	memcpy(name, begin, (size_t)(end - begin));
	name[end - begin] = '\0';
	*value = getenv(name);
	if (!*value) {
		*fault = "a variable that is not set";
		return -EINVAL;
	}
	return end - text + braces;
}

int spoor_expand(const char *text, char *path, size_t size, const char **fault)
{
	const char *from = text;
	size_t used = 0;

	while (*from) {
		const char *piece = from;
		size_t length = 1;
		long taken = 1;

		if (from == text && *from == '~') {
			if (from[1] && from[1] != '/') {
				*fault = "another user's home: write its path, or './~...' for a file of this name";
				return -EINVAL;
			}
			piece = getenv("HOME");
			if (!piece) {
				*fault = "a '~', but HOME is not set";
				return -EINVAL;
			}
			length = strlen(piece);
		} else if (from[0] == '$' && from[1] == '$') {
			taken = 2;
		} else if (from[0] == '$') {
			taken = variable(from, &piece, fault);
			if (taken < 0)
				return -EINVAL;
			length = strlen(piece);
		}
		if (used + length >= size) {
			*fault = "a path that is too long";
			return -EINVAL;
		}
		memcpy(path + used, piece, length);
		used += length;
		from += taken;
	}
	path[used] = '\0';
	return 0;
}
