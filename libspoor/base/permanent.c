/* SPDX-License-Identifier: MIT */
/* permanent.c - allocates from mapped pages by moving a pointer. */
#include "base/permanent.h"

#include <string.h>

#include "base/memory.h"

uint32_t spoor_page_bytes = 4096;

void *spoor_permanent_alloc(size_t bytes)
{
	static char *room, *room_end;
	char *result;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > (size_t)(room_end - room)) {
		size_t more = bytes > 65536 ? bytes : 65536;

		room = spoor_memory_map(more);
		room_end = room ? room + more : room;
		if (!room)
			return NULL;
	}
	result = room;
	room += bytes;
	return result;
}

char *spoor_permanent_text(const char *text)
{
	char *copy = spoor_permanent_alloc(strlen(text) + 1);

	return copy ? strcpy(copy, text) : NULL;
}
