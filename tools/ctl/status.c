/* SPDX-License-Identifier: MIT */
/* status.c - shows the status page and the counters of a pool, as text and as JSON. */
#include "ctl/status.h"

#include <stdio.h>
#include <string.h>

#include "format/status_page_format.h"
#include "walk/loss_cause.h"
#include "reader/files/printable_text.h"
#include "format/slice_words.h"

/* Numbers of slices by state, and of the events in them. */
struct usage {
	uint32_t full, in_use;
	uint64_t events, flushed;	/* flushed: events that the trace has as well */
};

static uint32_t events_of(const uint64_t *words, uint32_t count)
{
	static uint64_t copy[SPOOR_SLICE_WORDS];
	uint32_t holes, events;

	spoor_slice_words_copy(copy, words, count, &holes, &events);
	return events;
}

static void count_events(struct spoor_pool *pool, uint32_t slice, struct usage *usage)
{
	const struct spoor_slice_info *info = spoor_pool_info(pool, slice);
	uint32_t offset = __atomic_load_n(&info->offset, __ATOMIC_RELAXED) % SPOOR_SLICE_BYTES / 8;
	uint32_t flushed = __atomic_load_n(&info->flushed, __ATOMIC_RELAXED), count;
	const uint64_t *words = (uint64_t *)((char *)pool + spoor_pool_slice_offset(slice)) + offset;

	/* The slice is being handed out, or was never used. */
	if (!__atomic_load_n(&info->counter, __ATOMIC_ACQUIRE))
		return;
	count = spoor_slice_words_in_use(words, SPOOR_SLICE_WORDS - offset);
	if (flushed > count)
		flushed = count;
	usage->flushed += events_of(words, flushed);
	usage->events += events_of(words + flushed, count - flushed);
}

static struct usage count_slices(const struct live_pool *live)
{
	struct spoor_pool *pool = live->pool;
	struct usage usage = { 0 };

	for (uint32_t i = 0; i < live->slice_count; i++) {
		bool full = __atomic_load_n(&pool->full[i / 64], __ATOMIC_RELAXED) >> i % 64 & 1;

		if (!full && __atomic_load_n(&pool->free[i / 64], __ATOMIC_RELAXED) >> i % 64 & 1)
			continue;
		usage.full += full;
		usage.in_use += !full;
		count_events(pool, i, &usage);
	}
	return usage;
}

/* Returns the number of slices that the process can have memory for. */
static uint32_t room_of(const struct live_pool *live)
{
	uint32_t room = __atomic_load_n(&live->pool->room, __ATOMIC_RELAXED);

	return room && room < live->slice_count ? room : live->slice_count;
}

/* Returns a text in the pool, which may contain anything. */
static const char *text_of(const char *text, size_t room)
{
	static char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%.*s", (int)(room - 1), text);
	return clean_name(copy);
}

#define TEXT(array) text_of(array, sizeof(array))

static void put_number(struct output *out, const char *before, uint64_t number)
{
	output_string(out, before);
	output_number(out, number);
}

static void put_json_text(struct output *out, const char *before, const char *text)
{
	output_string(out, before);
	output_char(out, '"');
	output_json_string(out, text);
	output_char(out, '"');
}

/* Returns the number of valid entries in the status page. */
static uint32_t module_count(const struct spoor_status_page *status_page)
{
	uint32_t count = __atomic_load_n(&status_page->module_count, __ATOMIC_ACQUIRE);

	return count < SPOOR_STATUS_MODULES_MAX ? count : SPOOR_STATUS_MODULES_MAX;
}

static void show_text(struct output *out, const struct live_pool *live, const struct spoor_status_page *status_page)
{
	const struct spoor_pool *pool = live->pool;
	struct usage usage = count_slices(live);
	bool any = false;

	put_number(out, "process ", (uint64_t)live->process_id);
	output_string(out, "\n  mode            ");
	output_string(out, TEXT(status_page->mode.text));
	output_string(out, "\n  trace           ");
	output_string(out, TEXT(status_page->folder));
	output_string(out, "\n  written by      ");
	if (live->recorder)
		put_number(out, "spoor record, process ", (uint64_t)live->recorder);
	else
		output_string(out, "its service thread");
	put_number(out, "\n  events          ", __atomic_load_n(&pool->events, __ATOMIC_RELAXED) + usage.flushed);
	put_number(out, " written, ", usage.events);
	put_number(out, " in the pool only\n  on disk         ", __atomic_load_n(&pool->file_bytes, __ATOMIC_RELAXED));
	put_number(out, " bytes\n  pool            ", usage.in_use);
	put_number(out, " slices in use and ", usage.full);
	put_number(out, " full, memory for ", room_of(live));
	for (uint32_t cause = 0; cause < SPOOR_LOSS_COUNT; cause++) {
		uint64_t events = __atomic_load_n(&pool->lost[cause], __ATOMIC_RELAXED);

		if (!events)
			continue;
		put_number(out, "\n  lost            ", events);
		output_string(out, ": ");
		output_string(out, loss_cause_text(cause));
		any = true;
	}
	if (!any)
		output_string(out, "\n  lost            nothing");
	put_number(out, "\n  functions       ", status_page->enabled);
	output_string(out, " enabled\n");
	for (uint32_t i = 0; i < module_count(status_page); i++) {
		const struct spoor_status_page_module *module = &status_page->modules[i];
		uint32_t functions = __atomic_load_n(&module->count, __ATOMIC_ACQUIRE);

		if (!functions)
			continue;
		put_number(out, "    ", module->enabled);
		put_number(out, " of ", functions);
		output_string(out, "  ");
		output_string(out, TEXT(module->name.text));
		output_char(out, '\n');
	}
	if (status_page->modules_left_out)
		put_number(out, "    and in more libraries, which are not shown: ", status_page->modules_left_out);
	if (status_page->modules_left_out)
		output_char(out, '\n');
}

static void show_json(struct output *out, const struct live_pool *live, const struct spoor_status_page *status_page)
{
	const struct spoor_pool *pool = live->pool;
	struct usage usage = count_slices(live);
	const char *before = "";

	put_number(out, "{\"schema\":\"spoor.status/1\",\"process\":", (uint64_t)live->process_id);
	put_json_text(out, ",\"mode\":", TEXT(status_page->mode.text));
	put_json_text(out, ",\"trace\":", TEXT(status_page->folder));
	put_number(out, ",\"recorder\":", (uint64_t)live->recorder);
	put_number(out, ",\"events\":{\"written\":", __atomic_load_n(&pool->events, __ATOMIC_RELAXED) + usage.flushed);
	put_number(out, ",\"in_pool\":", usage.events);
	output_char(out, '}');
	put_number(out, ",\"bytes\":", __atomic_load_n(&pool->file_bytes, __ATOMIC_RELAXED));
	put_number(out, ",\"slices\":{\"in_use\":", usage.in_use);
	put_number(out, ",\"full\":", usage.full);
	put_number(out, ",\"all\":", room_of(live));
	output_string(out, "},\"lost\":{");
	for (uint32_t cause = 0; cause < SPOOR_LOSS_COUNT; cause++) {
		put_json_text(out, before, loss_cause_text(cause));
		put_number(out, ":", __atomic_load_n(&pool->lost[cause], __ATOMIC_RELAXED));
		before = ",";
	}
	put_number(out, "},\"enabled\":", status_page->enabled);
	put_number(out, ",\"modules_left_out\":", status_page->modules_left_out);
	output_string(out, ",\"modules\":[");
	before = "";
	for (uint32_t i = 0; i < module_count(status_page); i++) {
		const struct spoor_status_page_module *module = &status_page->modules[i];
		uint32_t functions = __atomic_load_n(&module->count, __ATOMIC_ACQUIRE);

		if (!functions)
			continue;
		output_string(out, before);
		put_json_text(out, "{\"name\":", TEXT(module->name.text));
		put_number(out, ",\"functions\":", functions);
		put_number(out, ",\"enabled\":", module->enabled);
		output_char(out, '}');
		before = ",";
	}
	output_string(out, "]}\n");
}

void ctl_status(struct output *out, const struct live_pool *live, bool json)
{
	const struct spoor_status_page *status_page = spoor_pool_status_page(live->pool);

	if (json)
		show_json(out, live, status_page);
	else
		show_text(out, live, status_page);
}
