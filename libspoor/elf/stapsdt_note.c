/* SPDX-License-Identifier: MIT */
/* stapsdt_note.c - parses a static tracepoint's note: three addresses and three strings. */
#include "elf/stapsdt_note.h"

#include <stddef.h>
#include <string.h>

struct head {
	uint64_t address, base, semaphore;
};

/* Returns the text after the string, or null if it does not end. */
static const char *take_string(const char *at, const char *end, const char **string)
{
	const char *after = at ? memchr(at, '\0', (size_t)(end - at)) : NULL;

	*string = at;
	return after ? after + 1 : NULL;
}

bool stapsdt_note_parse(struct stapsdt_note *note, const char *content, const char *end, uint64_t base)
{
	struct head head;
	uint64_t moved;

	if ((size_t)(end - content) < sizeof(head))
		return false;
	memcpy(&head, content, sizeof(head));
	content = take_string(content + sizeof(head), end, &note->provider);
	content = take_string(content, end, &note->name);
	content = take_string(content, end, &note->operands);
	moved = base ? base - head.base : 0;
	note->address = head.address + moved;
	note->semaphore = head.semaphore ? head.semaphore + moved : 0;
	return content && *note->provider && *note->name;
}
