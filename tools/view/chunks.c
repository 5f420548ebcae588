/* SPDX-License-Identifier: MIT */
/* chunks.c - packs the items of a view into compressed chunks, and makes their levels of detail. */
#include "view/chunks.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "view/call_texts.h"
#include "view/thread_waits.h"

#define COLUMNS VIEW_SUMMARY_COLUMNS
#define CHUNK_ITEMS 8192u			/* a chunk has at most so many items ... */
#define CHUNK_BYTES 98304u			/* ... and about so many bytes before compression */
#define LEVEL_WORTH 2000u			/* a page draws fewer items than these without a level */

/* Items of a level are shorter than this. */
static uint64_t level_ns(unsigned int level)
{
	return UINT64_C(64) << 2 * level;
}

/* Returns the first level whose limit is above the duration. */
static unsigned int class_of(uint64_t duration_ns)
{
	return duration_ns < 64 ? 0 : (57u - (unsigned int)__builtin_clzll(duration_ns)) / 2 + 1;
}

/* The chunk of one kind that is being filled. */
struct filling {
	struct view_bytes columns[COLUMNS];
	uint32_t items;
	uint32_t node;
	uint64_t first_ns, last_ns, begin_ns, end_ns;
	uint32_t ended;			/* chunks of the current thread; not counted for levels */
};

struct level {
	struct view_maker *maker;
	unsigned int number;
	struct view_merger merger;
};

struct view_maker {
	struct view_chunks *chunks;
	struct filling fillings[VIEW_KINDS];
	struct view_summaries summaries[VIEW_RUNS + 1];
	uint64_t counts[VIEW_KINDS];	/* items of the current thread */
	struct level levels[VIEW_LEVELS];
	unsigned int first_level, level_end;
	uint32_t thread;
	size_t first_chunk;		/* of the current thread */
};

uint8_t *view_compress(const uint8_t *bytes, size_t count, int effort, size_t *size)
{
	uLongf room = compressBound(count);
	uint8_t *to = malloc(room), *fitting;

	if (!to || compress2(to, &room, bytes, count, effort) != Z_OK)
		view_no_memory();
	fitting = realloc(to, room);
	*size = room;
	return fitting ? fitting : to;
}

static struct view_chunk *add_chunk(struct view_chunks *chunks)
{
	if (chunks->count == chunks->capacity) {
		size_t capacity = chunks->capacity ? 2 * chunks->capacity : 256;
		struct view_chunk *list = reallocarray(chunks->list, capacity, sizeof(*list));

		if (!list)
			view_no_memory();
		chunks->list = list;
		chunks->capacity = capacity;
	}
	return &chunks->list[chunks->count++];
}

void view_chunks_put(struct view_chunks *chunks, struct view_bytes columns[COLUMNS], struct view_chunk chunk)
{
	struct output *file = chunks->file;
	struct view_bytes all = { 0 };
	size_t size;

	for (int i = 0; i < COLUMNS; i++)
		view_bytes_number(&all, columns[i].count);
	for (int i = 0; i < COLUMNS; i++) {
		view_bytes_put(&all, columns[i].bytes, columns[i].count);
		columns[i].count = 0;
	}
	chunk.bytes = view_compress(all.bytes, all.count, file ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION, &size);
	chunk.size = (uint32_t)size;
	free(all.bytes);
	if (file) {
		chunk.offset = file->written + file->used;
		output_put(file, chunk.bytes, size);
		free(chunk.bytes);
		chunk.bytes = NULL;
	}
	*add_chunk(chunks) = chunk;
}

static void end_summaries(struct view_maker *maker, unsigned int kind)
{
	struct view_summaries *summaries = &maker->summaries[kind];

	if (!summaries->chunks)
		return;
	view_chunks_put(maker->chunks, summaries->columns,
			(struct view_chunk){ .thread = maker->thread, .kind = VIEW_SUMMARY + kind,
					     .items = summaries->chunks, .ordinal = summaries->groups++,
					     .first_ns = summaries->begin_ns, .begin_ns = summaries->begin_ns,
					     .end_ns = summaries->end_ns });
	view_summaries_reset(summaries);
}

static void end_chunk(struct view_maker *maker, unsigned int kind)
{
	struct filling *filling = &maker->fillings[kind];

	if (!filling->items)
		return;
	view_chunks_put(maker->chunks, filling->columns,
			(struct view_chunk){ .thread = maker->thread, .kind = kind, .items = filling->items,
					     .ordinal = filling->ended, .first_ns = filling->first_ns,
					     .begin_ns = filling->begin_ns, .end_ns = filling->end_ns });
	filling->items = filling->node = 0;
	if (kind > VIEW_RUNS)
		return;
	filling->ended++;
	view_summaries_end_chunk(&maker->summaries[kind], filling->begin_ns, filling->end_ns);
	if (maker->summaries[kind].chunks == VIEW_SUMMARY_CHUNKS)
		end_summaries(maker, kind);
}

/* Appends the two columns that all kinds have. */
static struct filling *put_place(struct view_maker *maker, unsigned int kind, const struct view_item *item)
{
	struct filling *filling = &maker->fillings[kind];
	size_t bytes = 0;

	for (int i = 0; i < COLUMNS; i++)
		bytes += filling->columns[i].count;
	if (filling->items == CHUNK_ITEMS || bytes > CHUNK_BYTES)
		end_chunk(maker, kind);
	if (!filling->items) {
		filling->first_ns = filling->last_ns = filling->begin_ns = item->begin_ns;
		filling->end_ns = item->end_ns;
	}
	if (item->begin_ns < filling->begin_ns)
		filling->begin_ns = item->begin_ns;
	if (item->end_ns > filling->end_ns)
		filling->end_ns = item->end_ns;
	filling->items++;
	maker->counts[kind]++;
	view_bytes_number(&filling->columns[0], view_zigzag(item->begin_ns - filling->last_ns));
	filling->last_ns = item->begin_ns;
	view_bytes_number(&filling->columns[1], item->end_ns - item->begin_ns);
	return filling;
}

static void put_node(struct filling *filling, int column, uint32_t node)
{
	view_bytes_number(&filling->columns[column], view_zigzag((uint64_t)node - filling->node));
	filling->node = node;
}

static void put_call(struct view_maker *maker, const struct view_item *item)
{
	unsigned int kind = class_of(item->end_ns - item->begin_ns);
	struct filling *filling = put_place(maker, kind, item);
	uint8_t flags = (uint8_t)(item->flags & VIEW_TEXTS ? item->flags | VIEW_PAYLOAD : item->flags);

	view_summaries_add(&maker->summaries[kind], item);
	put_node(filling, 2, item->entries[0].node);
	view_bytes_put(&filling->columns[3], &flags, 1);
	if (item->flags & VIEW_TEXTS)
		view_call_texts_put(&filling->columns[5], maker->chunks->texts, item->string);
	if (item->flags & VIEW_PAYLOAD) {
		view_bytes_number(&filling->columns[4], item->payload[0]);
		view_bytes_number(&filling->columns[4], item->payload[1]);
		view_bytes_number(&filling->columns[4], item->string);
	}
}

static int compare_entries(const void *left, const void *right)
{
	const struct view_entry *a = left, *b = right;

	return a->node < b->node ? -1 : a->node > b->node;
}

static void put_run(struct view_maker *maker, const struct view_item *item)
{
	struct filling *filling = put_place(maker, VIEW_RUNS, item);

	view_summaries_add(&maker->summaries[VIEW_RUNS], item);
	view_bytes_number(&filling->columns[2], item->entry_count);
	qsort(item->entries, item->entry_count, sizeof(*item->entries), compare_entries);
	for (uint32_t i = 0; i < item->entry_count; i++) {
		const struct view_entry *entry = &item->entries[i];

		put_node(filling, 3, entry->node);
		view_bytes_number(&filling->columns[4], entry->calls);
		view_bytes_number(&filling->columns[5], entry->total_ns);
		if (entry->calls != 1) {
			view_bytes_put(&filling->columns[6], &entry->least, 1);
			view_bytes_put(&filling->columns[6], &entry->most, 1);
		}
	}
}

/* Writes an item of one level, and passes it on to the next level. */
static void put_level(void *context, struct view_item *item)
{
	struct level *level = context;
	struct view_maker *maker = level->maker;
	uint64_t extent_ns = item->end_ns - item->begin_ns, calls = 0, busy_ns = 0;
	const struct view_entry *greatest = item->entries;

	if (extent_ns < level_ns(level->number)) {
		struct filling *filling = put_place(maker, VIEW_LEVEL + level->number, item);
		uint8_t busy;

		for (uint32_t i = 0; i < item->entry_count; i++) {
			const struct view_entry *entry = &item->entries[i];

			calls += entry->calls;
			busy_ns += entry->total_ns;
			if (entry->total_ns > greatest->total_ns ||
			    (entry->total_ns == greatest->total_ns && entry->calls > greatest->calls))
				greatest = entry;
		}
		busy = busy_ns >= extent_ns ? 255 : (uint8_t)((double)busy_ns / (double)extent_ns * 255);
		put_node(filling, 2, greatest->node);
		view_bytes_number(&filling->columns[3], calls);
		view_bytes_put(&filling->columns[4], &busy, 1);
	}
	if (level->number + 1 < maker->level_end)
		view_merger_add(&maker->levels[level->number + 1].merger, item);
}

/* Chooses the levels to drop: those with more than half as many items as they are made of save nothing. */
static void choose_dropped(const struct view_maker *maker, bool dropped[VIEW_KINDS])
{
	uint64_t below = maker->counts[VIEW_RUNS];

	for (unsigned int i = 0; i <= maker->first_level; i++)
		below += maker->counts[i];
	for (unsigned int i = maker->first_level; i < maker->level_end; i++) {
		uint64_t count = maker->counts[VIEW_LEVEL + i];

		dropped[VIEW_LEVEL + i] = below < LEVEL_WORTH || count > below / 2;
		if (!dropped[VIEW_LEVEL + i])
			below = count;
		below += i + 1 < VIEW_CLASSES ? maker->counts[i + 1] : 0;
	}
}

/* Removes the thread's chunks of the dropped kinds. */
static void drop_chunks(struct view_maker *maker, const bool dropped[VIEW_KINDS])
{
	struct view_chunks *chunks = maker->chunks;
	size_t to = maker->first_chunk;

	for (size_t i = maker->first_chunk; i < chunks->count; i++) {
		if (chunks->list[i].kind < VIEW_KINDS && dropped[chunks->list[i].kind])
			free(chunks->list[i].bytes);
		else
			chunks->list[to++] = chunks->list[i];
	}
	chunks->count = to;
}

static void forget_filling(struct filling *filling)
{
	for (int i = 0; i < COLUMNS; i++)
		filling->columns[i].count = 0;
	filling->items = filling->node = 0;
}

/* Returns the order in which a page wants the kinds: levels and long calls, the coarse ones first. */
static unsigned int rank_of(unsigned int kind)
{
	return kind == VIEW_WAITS ? 2 * VIEW_CLASSES :
	       kind >= VIEW_SUMMARY ? 3 * VIEW_CLASSES + 1 :
	       kind >= VIEW_LEVEL ? 2 * (VIEW_CLASSES - (kind - VIEW_LEVEL)) :
	       kind == VIEW_RUNS ? 3 * VIEW_CLASSES : 2 * (VIEW_CLASSES - kind) + 1;
}

static int compare_chunks(const void *left, const void *right)
{
	const struct view_chunk *a = left, *b = right;
	unsigned int a_rank = rank_of(a->kind), b_rank = rank_of(b->kind);

	if (a_rank != b_rank)
		return a_rank < b_rank ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

struct view_maker *view_maker_begin(struct view_chunks *chunks, uint64_t resolution_ns, uint64_t span_ns)
{
	struct view_maker *maker = calloc(1, sizeof(*maker));

	if (!maker)
		view_no_memory();
	maker->chunks = chunks;
	for (unsigned int i = 0; i < VIEW_LEVELS; i++) {
		maker->levels[i] = (struct level){ maker, i, { .resolution_ns = level_ns(i), .emit = put_level } };
		maker->levels[i].merger.context = &maker->levels[i];
		if (level_ns(i) < 2 * resolution_ns || i == 0)
			maker->first_level = i + 1;
		if (i == 0 || level_ns(i - 1) < span_ns)
			maker->level_end = i + 1;
	}
	return maker;
}

void view_maker_begin_thread(struct view_maker *maker, uint32_t thread)
{
	maker->thread = thread;
	maker->first_chunk = maker->chunks->count;
	memset(maker->counts, 0, sizeof(maker->counts));
	for (unsigned int i = 0; i <= VIEW_RUNS; i++)
		maker->fillings[i].ended = maker->summaries[i].groups = 0;
}

void view_maker_add(struct view_maker *maker, struct view_item *item)
{
	if (item->flags & VIEW_RUN)
		put_run(maker, item);
	else
		put_call(maker, item);
	if (maker->first_level < maker->level_end)
		view_merger_add(&maker->levels[maker->first_level].merger, item);
}

void view_maker_end_thread(struct view_maker *maker)
{
	bool dropped[VIEW_KINDS] = { false };

	for (unsigned int i = maker->first_level; i < maker->level_end; i++)
		view_merger_flush(&maker->levels[i].merger);
	choose_dropped(maker, dropped);
	drop_chunks(maker, dropped);
	for (unsigned int i = 0; i < VIEW_KINDS; i++) {
		if (dropped[i])
			forget_filling(&maker->fillings[i]);
		else
			end_chunk(maker, i);
	}
	for (unsigned int i = 0; i <= VIEW_RUNS; i++)
		end_summaries(maker, i);
}

void view_maker_end(struct view_maker *maker)
{
	struct view_chunks *chunks = maker->chunks;

	if (chunks->count)
		qsort(chunks->list, chunks->count, sizeof(*chunks->list), compare_chunks);
	for (size_t i = 0; i < chunks->count; i++)
		chunks->bytes += view_text_bytes(chunks->list[i].size) + 1;
	for (unsigned int i = 0; i < VIEW_LEVELS; i++)
		view_merger_free(&maker->levels[i].merger);
	for (unsigned int i = 0; i < VIEW_KINDS; i++)
		for (int column = 0; column < COLUMNS; column++)
			free(maker->fillings[i].columns[column].bytes);
	for (unsigned int i = 0; i <= VIEW_RUNS; i++)
		view_summaries_free(&maker->summaries[i]);
	free(maker);
}

void view_chunks_make(struct view_chunks *chunks, struct view *view)
{
	struct view_maker *maker = view_maker_begin(chunks, view->merger.resolution_ns, view->end_ns - view->begin_ns);
	struct view_reader reader;

	chunks->texts = &view->texts;
	view_reader_begin(&reader, &view->store, false);
	for (uint32_t thread = 0; thread < view->thread_count; thread++) {
		view_maker_begin_thread(maker, thread);
		view_reader_begin_thread(&reader);
		for (uint64_t i = 0; i < view->threads[thread].items; i++) {
			struct view_item *item = view_reader_next(&reader);

			view_item_place(view, item);
			view_maker_add(maker, item);
		}
		view_maker_end_thread(maker);
	}
	view_reader_end(&reader);
	view_waits_put(view->waits, view, chunks);
	view_maker_end(maker);
}

void view_chunks_free(struct view_chunks *chunks)
{
	for (size_t i = 0; i < chunks->count; i++)
		free(chunks->list[i].bytes);
	free(chunks->list);
	*chunks = (struct view_chunks){ 0 };
}
