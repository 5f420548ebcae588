/* SPDX-License-Identifier: MIT */
/* items.c - stores the items of a timeline in few bytes. */
#include "view/items.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

#define BLOCK_BYTES (1u << 18)
#define NUMBER_MAX 10u			/* bytes of a 64-bit number */
#define HEAD_MAX (7 * NUMBER_MAX)	/* bytes of an item without its entries */
#define ENTRY_MAX (3 * NUMBER_MAX + 2)

struct view_block {
	struct view_block *next;
	size_t count;
	uint8_t bytes[BLOCK_BYTES];
};

void view_no_memory(void)
{
	message("out of memory for the functions, paths and threads of the view");
	exit(SPOOR_EXIT_BAD_TRACE);
}

static void make_room(struct view_bytes *to, size_t count)
{
	size_t capacity = to->capacity ? to->capacity : 256;
	uint8_t *bytes;

	if (to->count + count <= to->capacity)
		return;
	while (capacity < to->count + count)
		capacity *= 2;
	bytes = realloc(to->bytes, capacity);
	if (!bytes)
		view_no_memory();
	to->bytes = bytes;
	to->capacity = capacity;
}

void view_bytes_put(struct view_bytes *to, const void *bytes, size_t count)
{
	if (!count)
		return;
	make_room(to, count);
	memcpy(to->bytes + to->count, bytes, count);
	to->count += count;
}

static uint8_t *put_number(uint8_t *at, uint64_t number)
{
	for (; number >= 128; number >>= 7)
		*at++ = (uint8_t)number | 128;
	*at++ = (uint8_t)number;
	return at;
}

void view_bytes_number(struct view_bytes *to, uint64_t number)
{
	make_room(to, NUMBER_MAX);
	to->count = (size_t)(put_number(to->bytes + to->count, number) - to->bytes);
}

void view_bytes_text(struct view_bytes *to, const char *text)
{
	size_t length = strlen(text);

	view_bytes_number(to, length);
	view_bytes_put(to, text, length);
}

/* Returns a place for @count bytes. The caller then calls block_set_end. */
static uint8_t *block_room(struct view_store *store, size_t count)
{
	struct view_block *block = store->last;

	if (!block || block->count + count > BLOCK_BYTES) {
		block = malloc(sizeof(*block));
		if (!block)
			view_no_memory();
		block->next = NULL;
		block->count = 0;
		if (store->last)
			store->last->next = block;
		else
			store->first = block;
		store->last = block;
		store->bytes += BLOCK_BYTES;
	}
	return block->bytes + block->count;
}

static void block_set_end(struct view_store *store, const uint8_t *end)
{
	store->last->count = (size_t)(end - store->last->bytes);
}

void view_store_begin_thread(struct view_store *store)
{
	store->begin_ns = 0;
	store->node = 0;
}

static uint8_t *put_node(struct view_store *store, uint8_t *at, uint32_t node)
{
	at = put_number(at, view_zigzag((uint64_t)node - store->node));
	store->node = node;
	return at;
}

void view_store_add(struct view_store *store, const struct view_item *item)
{
	uint8_t *at = block_room(store, HEAD_MAX);

	at = put_number(at, item->flags);
	at = put_number(at, view_zigzag(item->begin_ns - store->begin_ns));
	store->begin_ns = item->begin_ns;
	at = put_number(at, item->end_ns - item->begin_ns);
	if (!(item->flags & VIEW_RUN)) {
		at = put_node(store, at, item->entries[0].node);
		if (item->flags & VIEW_PAYLOAD) {
			at = put_number(at, item->payload[0]);
			at = put_number(at, item->payload[1]);
		}
		if (item->flags & (VIEW_PAYLOAD | VIEW_TEXTS))
			at = put_number(at, item->string);
		block_set_end(store, at);
		store->items++;
		return;
	}
	block_set_end(store, put_number(at, item->entry_count));
	for (uint32_t i = 0; i < item->entry_count; i++) {
		const struct view_entry *entry = &item->entries[i];

		at = put_node(store, block_room(store, ENTRY_MAX), entry->node);
		at = put_number(at, entry->calls);
		at = put_number(at, entry->total_ns);
		if (entry->calls != 1) {
			*at++ = entry->least;
			*at++ = entry->most;
		}
		block_set_end(store, at);
	}
	store->items++;
}

void view_store_free(struct view_store *store)
{
	for (struct view_block *block = store->first, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	*store = (struct view_store){ 0 };
}

void view_reader_begin(struct view_reader *reader, struct view_store *store, bool consumes)
{
	*reader = (struct view_reader){ .store = store, .block = store->first, .consumes = consumes };
}

void view_reader_begin_thread(struct view_reader *reader)
{
	reader->begin_ns = 0;
	reader->node = 0;
}

/* Goes on to the next block if this one is read to its end. */
static void advance_block(struct view_reader *reader)
{
	if (reader->at < reader->block->count)
		return;
	reader->block = reader->block->next;
	reader->at = 0;
	if (reader->consumes) {
		free(reader->store->first);
		reader->store->first = (struct view_block *)reader->block;
		reader->store->bytes -= BLOCK_BYTES;
	}
}

static uint64_t get_number(struct view_reader *reader)
{
	uint64_t number = 0;
	uint8_t byte;
	unsigned int shift = 0;

	do {
		byte = reader->block->bytes[reader->at++];
		number |= (uint64_t)(byte & 127) << shift;
		shift += 7;
	} while (byte & 128);
	return number;
}

static uint32_t get_node(struct view_reader *reader)
{
	return reader->node += (uint32_t)view_unzigzag(get_number(reader));
}

static void make_entries(struct view_reader *reader, uint32_t count)
{
	struct view_entry *entries;

	if (count <= reader->capacity)
		return;
	entries = reallocarray(reader->item.entries, count, 2 * sizeof(*entries));
	if (!entries)
		view_no_memory();
	reader->item.entries = entries;
	reader->capacity = 2 * count;
}

struct view_item *view_reader_next(struct view_reader *reader)
{
	struct view_item *item = &reader->item;
	uint64_t duration_ns;

	advance_block(reader);
	make_entries(reader, 1);
	item->flags = (uint32_t)get_number(reader);
	item->begin_ns = reader->begin_ns += view_unzigzag(get_number(reader));
	duration_ns = get_number(reader);
	item->end_ns = item->begin_ns + duration_ns;
	if (!(item->flags & VIEW_RUN)) {
		item->entry_count = 1;
		item->entries[0] = (struct view_entry){ .node = get_node(reader), .total_ns = duration_ns,
							.least = view_log(duration_ns), .most = view_log(duration_ns),
							.calls = !(item->flags & VIEW_RESUMED) };
		item->string = 0;
		if (item->flags & VIEW_PAYLOAD) {
			item->payload[0] = get_number(reader);
			item->payload[1] = get_number(reader);
		}
		if (item->flags & (VIEW_PAYLOAD | VIEW_TEXTS))
			item->string = get_number(reader);
		return item;
	}
	item->entry_count = (uint32_t)get_number(reader);
	make_entries(reader, item->entry_count);
	for (uint32_t i = 0; i < item->entry_count; i++) {
		struct view_entry *entry = &item->entries[i];

		advance_block(reader);
		entry->node = get_node(reader);
		entry->calls = get_number(reader);
		entry->total_ns = get_number(reader);
		entry->least = entry->most = view_log(entry->total_ns);
		if (entry->calls != 1) {
			entry->least = reader->block->bytes[reader->at++];
			entry->most = reader->block->bytes[reader->at++];
		}
	}
	return item;
}

void view_reader_end(struct view_reader *reader)
{
	if (reader->consumes)
		view_store_free(reader->store);
	free(reader->item.entries);
}
