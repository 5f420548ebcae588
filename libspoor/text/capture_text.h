/* SPDX-License-Identifier: MIT */
/*
 * capture_text.h - parses which functions' arguments or results the user wants: "parse*,libfoo*:open(path:s,flags:x)".
 *
 * A list of choices, separated by commas. A choice is a pattern for functions (pattern.h); before it, optionally, a
 * pattern for modules and a colon; after it, optionally, the wanted arguments in parentheses, in their order. An
 * argument is a name, a colon, and a letter that says how to show it, or no letter. An empty argument is not
 * wanted, and neither are the arguments after the last one. Without a single colon in the parentheses they belong to the
 * pattern, as in f(int, std::string).
 *
 * A '-' before a choice: these functions' values are not wanted. The last choice that matches decides.
 */
#ifndef SPOOR_CAPTURE_TEXT_H
#define SPOOR_CAPTURE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* How to show a value: yes or no, character, signed, pointer, text, unsigned, hexadecimal. */
#define SPOOR_CAPTURE_FORMATS "bcdpsux"

struct spoor_capture_choice {
	const char *begin, *end;		/* the whole choice */
	const char *module, *module_end;	/* null: every module */
	const char *function, *function_end;
	const char *items, *items_end;		/* the wanted arguments; null: all */
	bool excludes;
};

struct spoor_capture_item {
	const char *name;
	size_t length;		/* of the name */
	char format;		/* 0: by the type */
	bool is_wanted;
};

/* Gets the next choice of a checked list. Returns whether there was one. */
bool spoor_capture_text_next(const char **rest, struct spoor_capture_choice *choice);

/* Gets the next item of a choice. @rest: begins at `items`. Returns whether there was one. */
bool spoor_capture_item_next(const char **rest, const char *end, struct spoor_capture_item *item);

/* Checks the syntax. Returns 0, or -EINVAL. */
int spoor_capture_text_check(const char *text);

#endif
