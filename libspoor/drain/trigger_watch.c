/* SPDX-License-Identifier: MIT */
/* trigger_watch.c - tracks how long the calls of each thread are open. */
#include "drain/trigger_watch.h"

#include <string.h>

#include "drain/pending_slices.h"
#include "base/memory.h"
#include "drain/watched_thread.h"

#define THREADS_MAX 512u	/* number of threads that are watched at a time */
#define PROBES 16u
#define LEAST_NS 1000000	/* shortest time between two looks */
#define MOST_NS 50000000	/* longest time between two looks in mode 'log' */
#define MOST_RING_NS 5000000	/* longest time in mode 'ring': a busy thread reuses its ring in that time */
#define BUSY_SLICES 8u		/* slices of one thread in one look */
#define RATE_NS 1000000		/* run time after which the rate of the counter is known */

struct spoor_watch {
	struct spoor_pool *pool;
	uint32_t slice_count;
	struct spoor_trigger trigger;	/* copied from the pool; ranges sorted */
	uint32_t range_count;		/* number of ranges copied from the pool */
	uint32_t count;			/* number of reported calls */
	uint32_t look;
	double ticks_per_ns;		/* 0: unknown */
	int64_t interval_ns;
	bool has_values;		/* the trigger has a condition on values */
	struct watched_values values;
	struct watched_thread threads[THREADS_MAX];
	uint32_t slices[SPOOR_POOL_SLICE_COUNT_MAX];
};

struct spoor_watch *spoor_watch_begin(struct spoor_pool *pool, uint32_t slice_count)
{
	const struct spoor_trigger *trigger = spoor_pool_trigger(pool);
	struct spoor_watch *watch;

	if (!trigger->limit_ns || !trigger->most)
		return NULL;
	watch = spoor_memory_map(sizeof(*watch));
	if (!watch)
		return NULL;
	watch->pool = pool;
	watch->slice_count = slice_count;
	watch->trigger = (struct spoor_trigger){
		.limit_ns = trigger->limit_ns,
		.before_ms = trigger->before_ms,
		.after_ms = trigger->after_ms,
		.most = trigger->most,
	};
	watch->interval_ns = LEAST_NS;
	watch->has_values = watched_values_begin(&watch->values, pool);
	return watch;
}

void spoor_watch_end(struct spoor_watch *watch)
{
	spoor_memory_unmap(watch, watch ? sizeof(*watch) : 0);
}

int64_t spoor_watch_interval_ns(const struct spoor_watch *watch)
{
	return watch->interval_ns;
}

uint64_t spoor_watch_before(const struct spoor_watch *watch, uint64_t counter, uint32_t ms)
{
	double ticks = (double)ms * 1e6 * watch->ticks_per_ns;

	return ticks < (double)counter ? counter - (uint64_t)ticks : 0;
}

/* Copies the new ranges of the pool, and sorts them. */
static void take_ranges(struct spoor_watch *watch)
{
	const struct spoor_trigger *pools = spoor_pool_trigger(watch->pool);
	struct spoor_trigger *ours = &watch->trigger;
	uint32_t count = __atomic_load_n(&pools->range_count, __ATOMIC_ACQUIRE);

	if (count > SPOOR_TRIGGER_RANGES_MAX)
		count = SPOOR_TRIGGER_RANGES_MAX;
	for (; watch->range_count < count; watch->range_count++) {
		struct spoor_trigger_range range = pools->ranges[watch->range_count];
		uint32_t at = ours->range_count++;

		for (; at && ours->ranges[at - 1].begin > range.begin; at--)
			ours->ranges[at] = ours->ranges[at - 1];
		ours->ranges[at] = range;
	}
}

/* Returns the state of a thread; null if the table has no room for it. */
static struct watched_thread *thread_of(struct spoor_watch *watch, uint32_t serial)
{
	struct watched_thread *place = NULL;

	for (uint32_t i = 0; i < PROBES; i++) {
		struct watched_thread *thread = &watch->threads[(serial + i) % THREADS_MAX];

		if (thread->look && thread->serial == serial)
			return thread;
		/* A thread that had no slice in the last look has ended. */
		if (!place && (!thread->look || thread->look + 1 < watch->look))
			place = thread;
	}
	if (place)
		watched_thread_begin(place, serial);
	return place;
}

/* Collects the slices with words that were not read yet, the earliest first. */
static uint32_t collect(struct spoor_watch *watch)
{
	struct spoor_pool *pool = watch->pool;
	uint32_t count = 0;

	for (uint32_t i = 0; i < (watch->slice_count + 63) / 64; i++) {
		uint64_t used = ~__atomic_load_n(&pool->free[i], __ATOMIC_ACQUIRE) &
				spoor_pending_slices_mask(watch->slice_count, i);

		for (; used; used &= used - 1) {
			uint32_t slice = i * 64 + (uint32_t)__builtin_ctzll(used);
			const struct spoor_slice_info *info = spoor_pool_info(pool, slice);
			struct watched_thread *thread;

			if (!__atomic_load_n(&info->counter, __ATOMIC_ACQUIRE))
				continue;
			thread = thread_of(watch, info->thread_serial);
			if (!thread)
				continue;
			thread->look = watch->look;
			thread->thread_id = info->thread_id;
			if (info->sequence >= thread->sequence)
				watch->slices[count++] = slice;
		}
	}
	spoor_pending_slices_sort(pool, watch->slices, count);
	return count;
}

/* Reports each call of a thread that takes too long, once. */
static void report_late_calls(struct spoor_watch *watch, struct watched_thread *thread, uint64_t now,
			      spoor_watch_noticed *noticed, void *context)
{
	uint64_t limit = (uint64_t)((double)watch->trigger.limit_ns * watch->ticks_per_ns);
	struct spoor_trigger_record record = {
		.limit_ns = watch->has_values ? 0 : watch->trigger.limit_ns,
		.thread_serial = thread->serial,
		.before_ms = watch->trigger.before_ms,
		.after_ms = watch->trigger.after_ms,
	};

	while (watch->count < watch->trigger.most &&
	       watched_thread_next(thread, now, limit, &record.index, &record.began, &record.ended)) {
		record.number = ++watch->count;
		/* Words may be later than @now, which was read before them. */
		record.noticed = record.ended > now ? record.ended : now;
		noticed(context, thread->thread_id, &record);
	}
}

bool spoor_watch_look(struct spoor_watch *watch, const struct spoor_clocks *now, spoor_watch_noticed *noticed,
		      void *context)
{
	const struct spoor_clocks *begin = &watch->pool->begin;
	int64_t run_ns = now->steady_ns - begin->steady_ns, least = (int64_t)(watch->trigger.limit_ns / 4);
	bool busy = false;
	int64_t most = watch->pool->ring ? MOST_RING_NS : MOST_NS;
	uint32_t count, slices = 0;

	watch->look++;
	take_ranges(watch);
	if (watch->has_values)
		watched_values_renew(&watch->values, watch->pool);
	if (run_ns >= RATE_NS && now->counter > begin->counter)
		watch->ticks_per_ns = (double)(now->counter - begin->counter) / (double)run_ns;
	count = collect(watch);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t slice = watch->slices[i];
		struct watched_thread *thread = thread_of(watch, spoor_pool_info(watch->pool, slice)->thread_serial);
		uint64_t limit = (uint64_t)((double)watch->trigger.limit_ns * watch->ticks_per_ns);

		if (!thread || !watched_thread_read(thread, watch->pool, slice, &watch->trigger,
						     limit ? limit : UINT64_MAX, watch->has_values ? &watch->values : NULL))
			continue;
		busy = true;
		thread->slices = thread->looked == watch->look ? thread->slices + 1 : 1;
		thread->looked = watch->look;
		slices = thread->slices > slices ? thread->slices : slices;
	}
	for (uint32_t i = 0; i < THREADS_MAX && watch->ticks_per_ns > 0; i++) {
		struct watched_thread *thread = &watch->threads[i];

		if (thread->look != watch->look)
			continue;
		report_late_calls(watch, thread, now->counter, noticed, context);
		busy |= thread->armed != 0;
	}
	/* Look often while threads are busy, and rarely otherwise. */
	if (slices > BUSY_SLICES && least > watch->interval_ns * BUSY_SLICES / slices)
		least = watch->interval_ns * BUSY_SLICES / slices;
	if (!busy)
		least = 2 * watch->interval_ns;
	watch->interval_ns = least < LEAST_NS ? LEAST_NS : least > most ? most : least;
	return watch->count < watch->trigger.most;
}
