/* SPDX-License-Identifier: MIT */
/* fitted_names.c - shortens the names of functions and libraries so that lines fit the terminal. */
#include "walk/fitted_names.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t hash_of(const char *text, uint32_t seed)
{
	return XXH3_64bits_withSeed(text, strlen(text), seed);
}

void fitted_names_begin(struct fitted_names *fitted, const struct name_table *names, size_t room)
{
	*fitted = (struct fitted_names){ .names = names, .room = room };
	for (uint32_t i = 1; i < names->count; i++) {
		uint32_t *same = map64_at(&fitted->same, hash_of(names->list[i].function, 0));

		if (same)
			++*same;
	}
}

void fitted_names_end(struct fitted_names *fitted)
{
	map64_free(&fitted->same);
	map64_free(&fitted->elided);
	map64_free(&fitted->number);
}

/* Removes the middle of a name. */
static void shorten(struct fitted_names *fitted, uint32_t name, size_t room, char *out)
{
	const char *function = fitted->names->list[name].function;
	uint32_t *number, *times, count;
	uint64_t hash;

	elide(function, room, 0, out);
	hash = hash_of(out, 0);
	number = map64_at(&fitted->number, hash_of(out, name));
	if (!number)
		return;
	if (!*number) {
		times = map64_at(&fitted->elided, hash);
		count = times ? ++*times : 1;
		*number = count;
	}
	if (*number > 1)
		elide(function, room, *number, out);
}

const char *fitted_name(struct fitted_names *fitted, uint32_t name, size_t used, bool library_shown,
			char text[ELIDED_MAX + 1], bool *has_library)
{
	const struct name_pair *pair = &fitted->names->list[name];
	size_t library = *pair->library && !library_shown ? strlen(pair->library) + 4 : 0, room;
	bool must;

	*has_library = library;
	if (!fitted->room || used + strlen(pair->function) + library <= fitted->room)
		return pair->function;
	must = library && map64_find(&fitted->same, hash_of(pair->function, 0)) > 1;
	*has_library = must;
	library = must ? library : 0;
	room = FITTED_NAME_LEAST / 2;
	if (fitted->room >= used + library + room)
		room = fitted->room - used - library;
	if (strlen(pair->function) <= room)
		return pair->function;
	shorten(fitted, name, room, text);
	return text;
}
