/* SPDX-License-Identifier: MIT */
/* call_rates.c - counts the calls of each function in each second. */
#define _GNU_SOURCE
#include "live/call_rates.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "drain/pending_slices.h"
#include "format/slice_words.h"

#define PAGE_BITS 9
#define PAGES (1u << (SPOOR_INDEX_BITS - PAGE_BITS))
#define SETTLED_NS 100000000	/* after this time the measured rate of the counter is final */
#define LEAST_NS 5000000	/* ... and this is enough for a first measurement */

struct rate {
	uint64_t calls;
	uint64_t first, last;	/* counters, within the current second */
	uint32_t second;
	uint32_t count;		/* calls in the current second */
	bool found;
};

/* The part of a slice whose calls are already counted. */
struct counted {
	uint64_t began;		/* the info's counter; another value means that the slice was reused */
	uint64_t counter;
	uint32_t words;
};

struct found {
	uint32_t index;
	uint64_t rate;
	uint64_t counter;	/* when it became dormant; 0: not yet */
	bool written;
};

struct call_rates {
	struct spoor_drain *drain;
	uint64_t limit;
	uint64_t ticks;		/* per second; 0: unknown so far */
	bool settled;
	uint64_t second_begin, second_end;	/* counters of the second that second_of returned last */
	uint32_t second;
	struct rate **pages;	/* by the upper bits of the dense index */
	struct counted *counted;	/* by slice */
	pthread_mutex_t lock;	/* protects the fields below */
	struct found *found;
	size_t found_count, found_capacity;
	size_t asked;		/* number of entries in `found` that call_rates_next has returned */
};

int call_rates_begin(struct call_rates **result, struct spoor_drain *drain, uint64_t limit)
{
	struct call_rates *rates = calloc(1, sizeof(*rates));

	if (!rates)
		return -ENOMEM;
	rates->drain = drain;
	rates->limit = limit;
	pthread_mutex_init(&rates->lock, NULL);
	/* The kernel gives memory only for the pages that are used. */
	rates->pages = calloc(PAGES, sizeof(struct rate *));
	rates->counted = calloc(spoor_drain_slice_count(drain), sizeof(*rates->counted));
	if (!rates->pages || !rates->counted) {
		call_rates_end(rates);
		return -ENOMEM;
	}
	*result = rates;
	return 0;
}

void call_rates_end(struct call_rates *rates)
{
	if (!rates)
		return;
	for (uint32_t i = 0; rates->pages && i < PAGES; i++)
		free(rates->pages[i]);
	free(rates->pages);
	free(rates->counted);
	free(rates->found);
	free(rates);
}

/* Returns null if memory runs out; the function is not counted then. */
static struct rate *rate_of(struct call_rates *rates, uint32_t index)
{
	struct rate **page = &rates->pages[index >> PAGE_BITS];

	if (!*page)
		*page = calloc(1u << PAGE_BITS, sizeof(**page));
	return *page ? &(*page)[index & ((1u << PAGE_BITS) - 1)] : NULL;
}

static void add_found(struct call_rates *rates, uint32_t index, const struct rate *rate)
{
	uint64_t ticks = rate->last > rate->first ? rate->last - rate->first : 1;
	struct found *found;

	pthread_mutex_lock(&rates->lock);
	if (rates->found_count == rates->found_capacity) {
		size_t capacity = rates->found_capacity ? 2 * rates->found_capacity : 8;

		found = reallocarray(rates->found, capacity, sizeof(*found));
		if (found) {
			rates->found = found;
			rates->found_capacity = capacity;
		}
	}
	if (rates->found_count < rates->found_capacity)
		rates->found[rates->found_count++] = (struct found){
			.index = index,
			.rate = (uint64_t)((double)(rate->count - 1) * (double)rates->ticks / (double)ticks + 0.5),
		};
	pthread_mutex_unlock(&rates->lock);
}

/* Returns the second of the process in which @counter lies. */
static uint32_t second_of(struct call_rates *rates, uint64_t counter)
{
	uint64_t begin = spoor_drain_pool(rates->drain)->begin.counter, since = counter > begin ? counter - begin : 0;

	if (counter >= rates->second_begin && counter < rates->second_end)
		return rates->second;
	rates->second = (uint32_t)(since / rates->ticks) + 1;
	rates->second_begin = begin + (rates->second - 1) * rates->ticks;
	rates->second_end = rates->second_begin + rates->ticks;
	return rates->second;
}

static void count_call(struct call_rates *rates, uint32_t index, uint64_t counter)
{
	struct rate *rate = rate_of(rates, index);
	uint32_t second;

	if (!rate)
		return;
	rate->calls++;
	if (rate->found || !rates->ticks)
		return;
	second = second_of(rates, counter);
	/* Another thread has already called it in the next second. */
	if (second < rate->second)
		return;
	if (second > rate->second) {
		rate->second = second;
		rate->count = 0;
		rate->first = counter;
	}
	rate->last = counter > rate->last ? counter : rate->last;
	if (++rate->count <= rates->limit)
		return;
	rate->found = true;
	add_found(rates, index, rate);
}

void call_rates_slice(void *context, uint32_t slice)
{
	struct call_rates *rates = context;
	struct spoor_pool *pool = spoor_drain_pool(rates->drain);
	struct counted *counted = &rates->counted[slice];
	uint64_t began = __atomic_load_n(&spoor_pool_info(pool, slice)->counter, __ATOMIC_ACQUIRE);
	uint32_t most;
	const uint64_t *first = spoor_pending_slice_words(pool, slice, &most);
	struct spoor_slice_record record;
	struct spoor_words words;

	if (!began)
		return;
	if (counted->began != began)
		*counted = (struct counted){ began, began, 0 };
	words = (struct spoor_words){ first + counted->words, first + most, counted->counter };
	while (spoor_words_is_stored(&words) && spoor_words_next(&words, &record) > 0)
		if (record.kind == SPOOR_EVENT_ENTRY)
			count_call(rates, record.index, words.counter);
	counted->counter = words.counter;
	counted->words = (uint32_t)(words.word - first);
}

/* Measures the rate of the counter. Numbers the seconds again while the rate becomes more exact, and not later. */
static void measure_clock(struct call_rates *rates)
{
	const struct spoor_clocks *begin = &spoor_drain_pool(rates->drain)->begin;
	struct spoor_clocks now = { 0 };
	int64_t run_ns;

	if (rates->settled)
		return;
	spoor_drain_read_clocks(rates->drain, &now);
	run_ns = now.steady_ns - begin->steady_ns;
	if (run_ns < LEAST_NS || now.counter <= begin->counter)
		return;
	rates->ticks = (uint64_t)((double)(now.counter - begin->counter) * 1e9 / (double)run_ns);
	rates->ticks += !rates->ticks;
	rates->second_end = 0;
	rates->settled = run_ns >= SETTLED_NS;
}

static void write_done(struct call_rates *rates)
{
	pthread_mutex_lock(&rates->lock);
	for (size_t i = 0; i < rates->asked; i++) {
		struct found *found = &rates->found[i];
		const struct rate *rate = rate_of(rates, found->index);
		struct spoor_dormant record = {
			.counter = found->counter, .calls = rate ? rate->calls : 0, .rate = found->rate,
			.limit = rates->limit, .index = found->index,
		};

		if (!found->counter || found->written)
			continue;
		found->written = true;
		spoor_drain_note(rates->drain, SPOOR_BLOCK_DORMANT, 0, &record, sizeof(record));
	}
	pthread_mutex_unlock(&rates->lock);
}

void call_rates_look(struct call_rates *rates)
{
	struct spoor_pool *pool = spoor_drain_pool(rates->drain);
	uint32_t count = spoor_drain_slice_count(rates->drain);

	measure_clock(rates);
	for (uint32_t i = 0; i < (count + 63) / 64; i++) {
		uint64_t used = ~__atomic_load_n(&pool->free[i], __ATOMIC_ACQUIRE) &
				spoor_pending_slices_mask(count, i);

		for (; used; used &= used - 1)
			call_rates_slice(rates, i * 64 + (uint32_t)__builtin_ctzll(used));
	}
	write_done(rates);
}

bool call_rates_next(struct call_rates *rates, uint32_t *index)
{
	bool any;

	pthread_mutex_lock(&rates->lock);
	any = rates->asked < rates->found_count;
	if (any)
		*index = rates->found[rates->asked++].index;
	pthread_mutex_unlock(&rates->lock);
	return any;
}

void call_rates_done(struct call_rates *rates, uint32_t index)
{
	struct spoor_clocks now = { 0 };

	spoor_drain_read_clocks(rates->drain, &now);
	pthread_mutex_lock(&rates->lock);
	for (size_t i = 0; i < rates->asked; i++)
		if (rates->found[i].index == index && !rates->found[i].counter)
			rates->found[i].counter = now.counter;
	pthread_mutex_unlock(&rates->lock);
}
