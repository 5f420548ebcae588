/* SPDX-License-Identifier: MIT */
/* elided.c - shortens a name that is too long for its place in a terminal. */
#include "base/elided.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 8192u	/* longer names lose their middle only */
#define GAP ".."

static bool is_inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Returns whether the '<' at @at belongs to an operator's name, such as "operator<<". */
static bool is_operator(const char *name, const char *at)
{
	while (at > name && at[-1] == '<')
		at--;
	return at - name >= 8 && memcmp(at - 8, "operator", 8) == 0;
}

/* Finds the longest outermost "<...>" that is longer than its replacement. Returns its length inside, or 0. */
static size_t longest_arguments(char *name, char **begin)
{
	size_t longest = strlen(GAP);
	bool found = false;
	char *open = NULL;
	int depth = 0;

	for (char *at = name; *at; at++) {
		if (*at == '<' && !is_operator(name, at)) {
			if (!depth++)
				open = at;
		} else if (*at == '>' && depth && at[-1] != '-' && !--depth && (size_t)(at - open - 1) > longest) {
			longest = (size_t)(at - open - 1);
			*begin = open + 1;
			found = true;
		}
	}
	return found ? longest : 0;
}

/* Replaces template arguments until the name fits, or none is left. */
static void drop_arguments(char *name, size_t room)
{
	size_t length = strlen(name), dropped;
	char *begin = NULL;

	while (length > room && (dropped = longest_arguments(name, &begin))) {
		memcpy(begin, GAP, strlen(GAP));
		memmove(begin + strlen(GAP), begin + dropped, strlen(begin + dropped) + 1);
		length -= dropped - strlen(GAP);
	}
}

static void drop_middle(const char *name, size_t room, uint32_t number, char *out)
{
	size_t length = strlen(name), gap, head, tail;
	char mark[20] = GAP;

	if (number)
		snprintf(mark, sizeof(mark), GAP "%" PRIu32 GAP, number);
	else if (length <= room) {
		memcpy(out, name, length + 1);
		return;
	}
	gap = strlen(mark) < room ? strlen(mark) : room;
	head = (room - gap) / 3;
	tail = room - gap - head;
	head = head < length ? head : length;
	tail = tail < length - head ? tail : length - head;
	while (head && is_inside_character(name[head]))
		head--;
	while (tail && is_inside_character(name[length - tail]))
		tail--;
	memcpy(out, name, head);
	memcpy(out + head, mark, gap);
	memcpy(out + head + gap, name + length - tail, tail + 1);
}

void elide(const char *name, size_t room, uint32_t number, char *out)
{
	char shorter[NAME_MAX_BYTES];
	size_t length = strlen(name);

	room = room < ELIDED_MAX ? room : ELIDED_MAX;
	if (length > room && length < sizeof(shorter)) {
		memcpy(shorter, name, length + 1);
		drop_arguments(shorter, room);
		name = shorter;
	}
	drop_middle(name, room, length > room ? number : 0, out);
}
