/* SPDX-License-Identifier: MIT */
/* named_things.c - a hash table of texts, and lists of named event types and tracepoints. */
#include "trace/named_things.h"

#include <errno.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/permanent.h"
#include "base/memory.h"
#include "trace/records.h"

struct text {
	uint64_t id;
	bool is_string;
	char bytes[];
};

struct event_type {
	struct event_type *next;
	struct spoor_event_type record;
	const char *name;
};

static struct text **table;	/* open addressing; at most half full */
static uint64_t table_size, table_used;
static struct event_type *event_types;

/* A tracepoint that was on at some time. It is never freed, and its number never changes. */
struct tracepoint {
	struct tracepoint *next;
	const char *name, *path;
	uint32_t number;
};

static struct tracepoint *tracepoints;
static uint32_t last_tracepoint;

static int table_grow(void)
{
	uint64_t size = table_size ? 2 * table_size : 512;
	struct text **larger = spoor_memory_map(size * sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	for (uint64_t i = 0; i < table_size; i++) {
		uint64_t at;

		if (!table[i])
			continue;
		for (at = table[i]->id; larger[at & (size - 1)]; at++)
			;
		larger[at & (size - 1)] = table[i];
	}
	spoor_memory_unmap(table, table_size * sizeof(*table));
	table = larger;
	table_size = size;
	return 0;
}

static void write_string(const struct text *text)
{
	struct spoor_string record = { text->id };

	spoor_trace_text(SPOOR_BLOCK_STRING, 0, &record, sizeof(record), text->bytes);
}

/* The slot of the text with this ID, or the empty slot for it. */
static struct text **find_slot(uint64_t id)
{
	uint64_t at = id;

	while (table[at & (table_size - 1)] && table[at & (table_size - 1)]->id != id)
		at++;
	return &table[at & (table_size - 1)];
}

int spoor_names_keep(const char *bytes, bool is_string, uint64_t *id, const char **kept)
{
	size_t length = strnlen(bytes, SPOOR_NAME_BYTES_MAX + 1);
	struct text *text, **slot;
	uint64_t number;

	if (length > SPOOR_NAME_BYTES_MAX)
		return -EINVAL;
	if (2 * (table_used + 1) > table_size && table_grow() < 0)
		return -ENOMEM;
	number = XXH3_64bits(bytes, length);
	number += number == 0;
	/* Another text has the same hash: use the next free ID. */
	while (*(slot = find_slot(number)) && strcmp((*slot)->bytes, bytes) != 0)
		number++;
	text = *slot;
	if (!text) {
		text = spoor_permanent_alloc(sizeof(*text) + length + 1);
		if (!text)
			return -ENOMEM;
		text->id = number;
		memcpy(text->bytes, bytes, length + 1);
		*slot = text;
		table_used++;
	}
	if (is_string && !text->is_string) {
		text->is_string = true;
		write_string(text);
	}
	if (id)
		*id = text->id;
	if (kept)
		*kept = text->bytes;
	return 0;
}

static void write_event_type(const struct event_type *type)
{
	spoor_trace_text(SPOOR_BLOCK_EVENT_TYPE, 0, &type->record, sizeof(type->record), type->name);
}

int spoor_names_event_type(uint32_t number, uint32_t payload_1, const char *name)
{
	struct event_type *type = event_types;
	int error = spoor_names_keep(name, false, NULL, &name);

	if (error < 0)
		return error;
	while (type && type->record.type != number)
		type = type->next;
	if (!type) {
		type = spoor_permanent_alloc(sizeof(*type));
		if (!type)
			return -ENOMEM;
		type->next = event_types;
		event_types = type;
	} else if (type->name == name && type->record.payload_1 == payload_1) {
		return 0;
	}
	type->record = (struct spoor_event_type){ number, payload_1 };
	type->name = name;
	write_event_type(type);
	return 0;
}

static void write_tracepoint(const struct tracepoint *one)
{
	const struct spoor_tracepoint record = { .number = one->number };

	spoor_trace_tracepoint(&record, one->name, one->path);
}

uint32_t spoor_names_tracepoint(const char *name, const char *path)
{
	struct tracepoint *one;

	for (one = tracepoints; one; one = one->next)
		if (one->name == name && one->path == path)
			return one->number;
	one = last_tracepoint < SPOOR_TRACEPOINT_NUMBER_MAX ? spoor_permanent_alloc(sizeof(*one)) : NULL;
	if (!one)
		return 0;
	*one = (struct tracepoint){ tracepoints, name, path, ++last_tracepoint };
	tracepoints = one;
	write_tracepoint(one);
	return one->number;
}

void spoor_names_write(void)
{
	for (const struct event_type *type = event_types; type; type = type->next)
		write_event_type(type);
	for (uint64_t i = 0; i < table_size; i++) {
		if (table[i] && table[i]->is_string)
			write_string(table[i]);
	}
	for (const struct tracepoint *one = tracepoints; one; one = one->next)
		write_tracepoint(one);
}
