/* SPDX-License-Identifier: MIT */
/* drain.c - takes slices from the pool and makes blocks of them. batch.c writes the blocks, wait.c decides when. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/block.h"
#include "format/clocks.h"
#include "drain/batch.h"
#include "drain/drain_state.h"
#include "drain/pending_slices.h"
#include "drain/slices_in_use.h"
#include "drain/spare_slices.h"
#include "base/memory.h"
#include "format/slice_words.h"

#define AGE_MAX 50u		/* of a slice with an empty slot, which ages each SPOOR_POSTPONED_NS: a second */
#define COUNT_TRIES 16
#define STATE_BYTES ((sizeof(struct spoor_drain) + 63) / 64 * 64)
#define WORKING_BYTES (STATE_BYTES + SPOOR_BATCH_BYTES + SPOOR_SLICE_BYTES + SPOOR_BATCH_SLICES * 4 + \
		       sizeof(struct spoor_packing) + 11 * SPOOR_POOL_SLICE_COUNT_MAX)

void spoor_drain_read_clocks(const struct spoor_drain *drain, struct spoor_clocks *clocks)
{
	spoor_clocks_read(clocks, drain->counter_is_clock);
	clocks->steady_ns += drain->options.steady_ahead_ns;
	if (drain->counter_is_clock)
		clocks->counter += (uint64_t)drain->options.steady_ahead_ns;
}

/* Tells if this is the last run and the threads are still inside their open calls. */
static bool is_final_and_present(const struct spoor_drain *drain)
{
	return drain->extent & SPOOR_DRAIN_FINAL && drain->extent & SPOOR_DRAIN_PRESENT;
}

/* Returns when slices in use were last seen in use: now, or before the process began to end its trace. */
static const struct spoor_clocks *seen(const struct spoor_drain *drain, const struct spoor_clocks *now)
{
	return __atomic_load_n(&drain->pool->ended, __ATOMIC_ACQUIRE) ? &drain->pool->left : now;
}

/* Writes the first block of the file. Its place was reserved when the file was created, because a full disk has
 * no room for a new block. */
static int write_losses(struct spoor_drain *drain)
{
	struct {
		struct spoor_block block;
		struct spoor_loss_record losses[SPOOR_LOSS_COUNT + 1];
	} whole = { 0 };
	struct spoor_block_facts facts = {
		.kind = SPOOR_BLOCK_LOSS,
		.session_id = drain->pool->session_id,
		.process_id = drain->pool->process_id,
		.flags = is_final_and_present(drain) ? SPOOR_BLOCK_IN_USE : 0,
	};
	size_t bytes;

	for (uint32_t cause = 0; cause < SPOOR_LOSS_COUNT; cause++) {
		whole.losses[cause].cause = cause;
		whole.losses[cause].events = __atomic_load_n(&drain->pool->lost[cause], __ATOMIC_RELAXED);
	}
	whole.losses[SPOOR_LOSS_COUNT].cause = SPOOR_LOSS_FILE_BYTES;
	whole.losses[SPOOR_LOSS_COUNT].events = drain->file_bytes;
	spoor_drain_read_clocks(drain, &facts.clocks);
	if (facts.flags)
		facts.clocks = *seen(drain, &facts.clocks);
	bytes = spoor_block_seal(&whole.block, sizeof(whole.losses), &facts);
	if (pwrite(spoor_batch_fd(drain), &whole, bytes, 0) != (ssize_t)bytes)
		return errno ? -errno : -ENOSPC;
	return (int)bytes;
}

/* Divides the working memory, which begins with the state itself. */
static void place(struct spoor_drain *drain)
{
	drain->buffer = (uint8_t *)drain + STATE_BYTES;
	drain->words = (uint64_t *)(drain->buffer + SPOOR_BATCH_BYTES);
	drain->batch = (uint32_t *)(drain->words + SPOOR_SLICE_WORDS);
	drain->packing = (struct spoor_packing *)(drain->batch + SPOOR_BATCH_SLICES);
	drain->slices = (uint32_t *)(drain->packing + 1);
	drain->written_since = drain->slices + SPOOR_POOL_SLICE_COUNT_MAX;
	drain->written = (uint16_t *)(drain->written_since + SPOOR_POOL_SLICE_COUNT_MAX);
	drain->ages = (uint8_t *)(drain->written + SPOOR_POOL_SLICE_COUNT_MAX);
}

int spoor_drain_begin(struct spoor_drain **result, const struct spoor_drain_options *options)
{
	struct spoor_pool *pool = options->pool;
	struct spoor_drain *drain = spoor_memory_map(WORKING_BYTES);
	int bytes;

	if (!drain)
		return -ENOMEM;
	place(drain);
	drain->options = *options;
	drain->pool = pool;
	drain->slice_count = pool->slice_count;
	drain->unpacked = pool->unpacked != 0;
	drain->counter_is_clock = pool->counter_is_clock != 0;
	drain->flush_attempts = pool->flush_attempts;
	bytes = write_losses(drain);
	if (bytes < 0) {
		spoor_drain_end(drain);
		return bytes;
	}
	drain->file_bytes = (uint64_t)bytes;
	if (options->limit)
		__atomic_fetch_add(&options->limit->used, drain->file_bytes, __ATOMIC_RELAXED);
	drain->watch = spoor_watch_begin(pool, drain->slice_count);
	/* Calls count from here on, as after each wait. */
	__atomic_store_n(&pool->wake, 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*result = drain;
	return 0;
}

void spoor_drain_end(struct spoor_drain *drain)
{
	if (!drain)
		return;
	spoor_watch_end(drain->watch);
	spoor_memory_unmap(drain->values, drain->values_bytes);
	spoor_memory_unmap(drain, WORKING_BYTES);
}

void spoor_drain_losses(struct spoor_drain *drain)
{
	write_losses(drain);
}

/* Adds one slice, which the drainer owns, to the buffer. */
static void drain_slice(struct spoor_drain *drain, uint32_t slice, const struct spoor_clocks *clocks)
{
	struct spoor_pool *pool = drain->pool;
	struct spoor_slice_info *info = spoor_pool_info(pool, slice);
	uint32_t reserved = __atomic_load_n(&info->words, __ATOMIC_RELAXED);
	uint32_t leaver = __atomic_load_n(&pool->leaver, __ATOMIC_RELAXED);
	bool final = drain->extent & SPOOR_DRAIN_FINAL;
	bool in_use = (is_final_and_present(drain) && !reserved && !info->ended_ns) ||
		      (leaver && info->thread_id == leaver);
	uint32_t most, count, holes, events;
	const uint64_t *words = spoor_pending_slice_words(pool, slice, &most);
	struct spoor_slice_info written;

	if (drain->options.draining)
		drain->options.draining(drain->options.context, slice);
	if (reserved > most)
		reserved = most;
	if (reserved == 0)
		reserved = spoor_slice_words_in_use(words, most);
	count = spoor_slice_words_copy(drain->words, words, reserved, &holes, &events);
	if (holes && !final && drain->ages[slice] < AGE_MAX) {
		drain->ages[slice] += drain->ages_due;
		__atomic_store_n(&drain->postponed, drain->postponed + 1, __ATOMIC_RELAXED);
		spoor_pool_bit_put(pool->full, slice);
		return;
	}
	drain->ages[slice] = 0;
	info->holes = holes;
	info->words = reserved;
	info->flushed = 0;
	written = *info;
	written.flushed = events + 1;

	spoor_batch_put(drain, &written, count, in_use ? SPOOR_BLOCK_IN_USE : 0, in_use ? seen(drain, clocks) : clocks);
	drain->batch[drain->batch_count++] = slice;
	drain->batch_events += events;
	spoor_batch_make_room(drain);
}

/* Counts the full slices again in each run: a thread that jumped out of a signal handler between setting a bit
 * and counting would leave the count wrong. Gives up after a few tries, because a foreign process may change
 * its pool at any time. */
static void count_full(struct spoor_drain *drain)
{
	struct spoor_pool *pool = drain->pool;

	for (int tries = 0; tries < COUNT_TRIES; tries++) {
		/* Read before the bits, since threads increment it after setting a bit (spoor_slice_retire). */
		uint32_t before = __atomic_load_n(&pool->full_count, __ATOMIC_ACQUIRE), count = 0;

		for (uint32_t i = 0; i < (drain->slice_count + 63) / 64; i++)
			count += (uint32_t)__builtin_popcountll(__atomic_load_n(&pool->full[i], __ATOMIC_RELAXED));
		if (__atomic_compare_exchange_n(&pool->full_count, &before, count, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
}

int spoor_drain_result(const struct spoor_drain *drain)
{
	return drain->stuck ? -(drain->error ? drain->error : EIO) : 0;
}

static void answer(struct spoor_drain *drain, uint32_t asked)
{
	struct spoor_pool *pool = drain->pool;

	drain->answered = asked;
	pool->answer = spoor_drain_result(drain);
	__atomic_store_n(&pool->answered, asked, __ATOMIC_RELEASE);
	syscall(SYS_futex, &pool->answered, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void spoor_drain_note(struct spoor_drain *drain, enum spoor_block_kind kind, uint32_t thread_id, const void *record,
		      size_t bytes)
{
	uint8_t *block = drain->buffer + drain->buffer_used;
	struct spoor_block_facts facts = {
		.kind = kind,
		.session_id = drain->pool->session_id,
		.process_id = drain->pool->process_id,
		.thread_id = thread_id,
	};

	spoor_drain_read_clocks(drain, &facts.clocks);
	memcpy(block + sizeof(struct spoor_block), record, bytes);
	drain->buffer_used += spoor_block_seal(block, bytes, &facts);
	spoor_batch_make_room(drain);
}

void spoor_drain_write_notes(struct spoor_drain *drain)
{
	if (drain->buffer_used)
		spoor_batch_write(drain);
}

/* Reports a call that takes too long: adds a record, and makes the drainer keep the events around it. */
static void keep_around(void *context, uint32_t thread_id, const struct spoor_trigger_record *record)
{
	struct spoor_drain *drain = context;
	uint64_t from = spoor_watch_before(drain->watch, record->began, record->before_ms);
	struct spoor_clocks now;

	spoor_drain_read_clocks(drain, &now);
	spoor_drain_note(drain, SPOOR_BLOCK_TRIGGER, thread_id, record, sizeof(*record));
	if (!drain->keep_until_ns || from < drain->keep_from)
		drain->keep_from = from;
	drain->keep_until_ns = now.steady_ns + (int64_t)record->after_ms * 1000000;
}

static void look(struct spoor_drain *drain, const struct spoor_clocks *clocks)
{
	/* The watch ends after it has reported as many calls as the trigger allows. */
	if (drain->watch && !spoor_watch_look(drain->watch, clocks, keep_around, drain)) {
		spoor_watch_end(drain->watch);
		drain->watch = NULL;
	}
}

/* Returns whether a flush was requested since the last call. */
static bool posted_take(struct spoor_drain *drain)
{
	uint32_t before = drain->posted;

	drain->posted = __atomic_load_n(&drain->pool->posted, __ATOMIC_ACQUIRE);
	return drain->posted != before;
}

struct spoor_pool *spoor_drain_pool(const struct spoor_drain *drain)
{
	return drain->pool;
}

uint32_t spoor_drain_slice_count(const struct spoor_drain *drain)
{
	return drain->slice_count;
}

struct spoor_drain_totals spoor_drain_totals(const struct spoor_drain *drain)
{
	return (struct spoor_drain_totals){
		.events = drain->events,
		.file_bytes = drain->file_bytes,
		.postponed = drain->postponed,
		.error = drain->error,
	};
}

void spoor_drain_look_at_clocks(struct spoor_drain *drain, struct spoor_clocks *clocks)
{
	struct spoor_clocks *latest = &drain->pool->latest;

	spoor_drain_read_clocks(drain, clocks);
	__atomic_store_n(&latest->steady_ns, clocks->steady_ns, __ATOMIC_RELAXED);
	latest->system_ns = clocks->system_ns;
	__atomic_store_n(&latest->counter, clocks->counter, __ATOMIC_RELAXED);
}

/* Returns which slices this run is to write, in drain->slices. */
static uint32_t take(struct spoor_drain *drain, uint32_t extent, const struct spoor_clocks *clocks)
{
	struct spoor_pool *pool = drain->pool;
	uint32_t taken = 0;

	look(drain, clocks);
	if (extent & (SPOOR_DRAIN_FINAL | SPOOR_DRAIN_RING | SPOOR_DRAIN_FLUSH) || !pool->ring)
		taken = spoor_pending_slices_take(pool, drain->slice_count, extent & SPOOR_DRAIN_FINAL, drain->slices);
	else if (drain->keep_until_ns)
		taken = spoor_pending_slices_take_since(pool, drain->slice_count, drain->keep_from, drain->slices);
	/* Slices that became full between the two are written as well, so they are looked at first. */
	if (taken)
		look(drain, clocks);
	/* Threads call for the slices that become full from now on, not for those taken. */
	if (taken)
		count_full(drain);
	return taken;
}

uint32_t spoor_drain_run(struct spoor_drain *drain, uint32_t extent)
{
	struct spoor_pool *pool = drain->pool;
	struct spoor_clocks clocks;
	uint32_t taken, drained = 0, asked;

	spoor_drain_look_at_clocks(drain, &clocks);
	__atomic_store_n(&drain->postponed, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&drain->stuck, false, __ATOMIC_RELAXED);
	drain->extent = extent;
	/* Busy threads call for many runs in a second. */
	drain->ages_due = clocks.steady_ns - drain->aged_ns >= SPOOR_POSTPONED_NS;
	if (drain->ages_due)
		drain->aged_ns = clocks.steady_ns;
	spoor_spare_slices_note(drain);
	asked = __atomic_load_n(&pool->asked, __ATOMIC_ACQUIRE);
	if (asked != drain->answered)
		extent |= pool->wanted & (SPOOR_DRAIN_FLUSH | SPOOR_DRAIN_CLEAR);
	if (posted_take(drain))
		extent |= SPOOR_DRAIN_FLUSH;
	if (extent & SPOOR_DRAIN_CLEAR)
		spoor_slices_in_use_clear(drain);
	taken = take(drain, extent, &clocks);
	for (; drained < taken && (!drain->stuck || extent & SPOOR_DRAIN_FINAL); drained++)
		drain_slice(drain, drain->slices[drained], &clocks);
	for (uint32_t i = drained; i < taken; i++)
		spoor_pool_bit_put(pool->full, drain->slices[i]);
	spoor_drain_write_notes(drain);
	if (drain->keep_until_ns && clocks.steady_ns >= drain->keep_until_ns) {
		drain->keep_until_ns = 0;
		extent |= SPOOR_DRAIN_FLUSH;
	}
	if (extent & SPOOR_DRAIN_FLUSH)
		spoor_slices_in_use_flush(drain, &clocks);
	if (extent & (SPOOR_DRAIN_FLUSH | SPOOR_DRAIN_CLEAR))
		spoor_drain_losses(drain);
	if (asked != drain->answered)
		answer(drain, asked);
	count_full(drain);
	if (!(extent & SPOOR_DRAIN_FINAL))
		spoor_spare_slices_give_back(drain, clocks.steady_ns);
	__atomic_store_n(&pool->events, drain->events, __ATOMIC_RELAXED);
	__atomic_store_n(&pool->file_bytes, drain->file_bytes, __ATOMIC_RELAXED);
	return drained;
}
