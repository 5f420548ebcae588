/* SPDX-License-Identifier: MIT */
/*
 * drain.c - which slices become blocks; drain.h says what is owed to whom. batch.c
 * writes them, wait.c says when.
 */
#define _GNU_SOURCE
#include "drain/drain.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/block.h"
#include "format/clocks.h"
#include "drain/batch.h"
#include "drain/pending_slices.h"
#include "base/memory.h"
#include "format/slice_words.h"

#define AGE_MAX 50u		/* looks at a slice with an empty slot (wait.c): a second */
#define COUNT_TRIES 16
#define WORKING_BYTES (SPOOR_BATCH_BYTES + SPOOR_SLICE_BYTES + SPOOR_BATCH_SLICES * 4 + \
		       sizeof(struct spoor_packing) + 11 * SPOOR_POOL_SLICE_COUNT_MAX)

/* As the process would. */
static void read_clocks(const struct spoor_drain *drain, struct spoor_clocks *clocks)
{
	spoor_clocks_read(clocks, drain->counter_is_clock);
	clocks->steady_ns += drain->steady_ahead_ns;
	if (drain->counter_is_clock)
		clocks->counter += (uint64_t)drain->steady_ahead_ns;
}

/* When what is in use was last seen so: now, or before the process began to end its trace. */
static const struct spoor_clocks *seen(const struct spoor_drain *drain, const struct spoor_clocks *now)
{
	return __atomic_load_n(&drain->pool->ended, __ATOMIC_ACQUIRE) ? &drain->pool->left : now;
}

/* The first block of the file: rewritten in place, for at the end of a full
 * disk there is room for nothing else. */
static int write_losses(struct spoor_drain *drain, uint64_t offset)
{
	struct {
		struct spoor_block block;
		struct spoor_loss_record losses[SPOOR_LOSS_COUNT + 1];
	} whole = { 0 };
	struct spoor_block_facts facts = {
		.kind = SPOOR_BLOCK_LOSS,
		.session_id = drain->pool->session_id,
		.process_id = drain->pool->process_id,
		.flags = drain->final && drain->present ? SPOOR_BLOCK_IN_USE : 0,
	};
	size_t bytes;

	for (uint32_t cause = 0; cause < SPOOR_LOSS_COUNT; cause++) {
		whole.losses[cause].cause = cause;
		whole.losses[cause].events = __atomic_load_n(&drain->pool->lost[cause], __ATOMIC_RELAXED);
	}
	whole.losses[SPOOR_LOSS_COUNT].cause = SPOOR_LOSS_FILE_BYTES;
	whole.losses[SPOOR_LOSS_COUNT].events = drain->file_bytes;
	read_clocks(drain, &facts.clocks);
	if (facts.flags)
		facts.clocks = *seen(drain, &facts.clocks);
	bytes = spoor_block_seal(&whole.block, sizeof(whole.losses), &facts);
	if (drain->before_write)
		drain->before_write(drain);
	if (pwrite(drain->fd, &whole, bytes, (off_t)offset) != (ssize_t)bytes)
		return errno ? -errno : -ENOSPC;
	return (int)bytes;
}

int spoor_drain_begin(struct spoor_drain *drain, struct spoor_pool *pool, int fd)
{
	int bytes;

	memset(drain, 0, sizeof(*drain));
	drain->pool = pool;
	drain->slice_count = pool->slice_count;
	drain->unpacked = pool->unpacked != 0;
	drain->counter_is_clock = pool->counter_is_clock != 0;
	drain->flush_attempts = pool->flush_attempts;
	drain->fd = fd;
	drain->buffer = spoor_memory_map(WORKING_BYTES);
	if (!drain->buffer)
		return -ENOMEM;
	drain->words = (uint64_t *)(drain->buffer + SPOOR_BATCH_BYTES);
	drain->batch = (uint32_t *)(drain->words + SPOOR_SLICE_WORDS);
	drain->packing = (struct spoor_packing *)(drain->batch + SPOOR_BATCH_SLICES);
	drain->slices = (uint32_t *)(drain->packing + 1);
	drain->written_since = drain->slices + SPOOR_POOL_SLICE_COUNT_MAX;
	drain->written = (uint16_t *)(drain->written_since + SPOOR_POOL_SLICE_COUNT_MAX);
	drain->ages = (uint8_t *)(drain->written + SPOOR_POOL_SLICE_COUNT_MAX);
	bytes = write_losses(drain, 0);
	if (bytes < 0) {
		spoor_drain_end(drain);
		return bytes;
	}
	drain->file_bytes = (uint64_t)bytes;
	drain->watch = spoor_watch_begin(pool, drain->slice_count);
	return 0;
}

void spoor_drain_end(struct spoor_drain *drain)
{
	spoor_watch_end(drain->watch);
	drain->watch = NULL;
	spoor_memory_unmap(drain->buffer, WORKING_BYTES);
	drain->buffer = NULL;
}

void spoor_drain_losses(struct spoor_drain *drain)
{
	write_losses(drain, 0);
}

/* One slice, which is ours, to the buffer. */
static void drain_slice(struct spoor_drain *drain, uint32_t slice, bool final, const struct spoor_clocks *clocks)
{
	struct spoor_pool *pool = drain->pool;
	struct spoor_slice_info *info = spoor_pool_info(pool, slice);
	uint32_t reserved = __atomic_load_n(&info->words, __ATOMIC_RELAXED);
	uint32_t leaver = __atomic_load_n(&pool->leaver, __ATOMIC_RELAXED);
	bool in_use = (final && drain->present && !reserved && !info->ended_ns) ||
		      (leaver && info->thread_id == leaver);
	uint32_t most, count, holes, events;
	const uint64_t *words = spoor_drainable_words(pool, slice, &most);

	if (drain->draining)
		drain->draining(drain->draining_context, slice);
	if (reserved > most)
		reserved = most;
	if (reserved == 0)
		reserved = spoor_slice_words_in_use(words, most);
	count = spoor_slice_words_copy(drain->words, words, reserved, &holes, &events);
	if (holes && !final && drain->ages[slice] < AGE_MAX) {
		drain->ages[slice]++;
		__atomic_store_n(&drain->postponed, drain->postponed + 1, __ATOMIC_RELAXED);
		spoor_pool_bit_put(pool->full, slice);
		return;
	}
	drain->ages[slice] = 0;
	info->holes = holes;
	info->words = reserved;
	info->flushed = 0;

	spoor_batch_put(drain, info, count, in_use ? SPOOR_BLOCK_IN_USE : 0, in_use ? seen(drain, clocks) : clocks);
	drain->batch[drain->batch_count++] = slice;
	drain->batch_events += events;
	spoor_batch_make_room(drain);
}

/* Writes what a slice that stays in use, since @since, has so far. */
static void flush_slice(struct spoor_drain *drain, uint32_t slice, uint64_t since, const struct spoor_clocks *clocks)
{
	struct spoor_slice_info info = *spoor_pool_info(drain->pool, slice);
	uint32_t most, count, holes, events;
	const uint64_t *words = spoor_drainable_words(drain->pool, slice, &most);
	uint64_t counter = since;
	uint32_t settled = spoor_slice_words_settled(words, most, &counter);

	if (settled <= spoor_batch_written(drain, slice))
		return;
	count = spoor_slice_words_copy(drain->words, words, settled, &holes, &events);
	/* A ring gave it up meanwhile: what was copied is half of two. */
	if (info.counter != since || !spoor_drainable_is_still(drain->pool, slice, since))
		return;
	spoor_batch_set_written(drain, slice, settled);
	info.words = settled;
	info.holes = 0;
	info.flushed = 0;
	spoor_batch_put(drain, &info, count, SPOOR_BLOCK_PARTIAL, clocks);
	spoor_batch_make_room(drain);
}

/* Puts no-ops in the place of what a slice has and the file has not, and the time behind it. */
static void clear_slice(struct spoor_drain *drain, uint32_t slice)
{
	uint32_t most, holes, events;
	uint64_t *words = spoor_drainable_words(drain->pool, slice, &most);
	uint64_t counter = spoor_pool_info(drain->pool, slice)->counter;
	uint32_t settled = spoor_slice_words_settled(words, most, &counter), written = spoor_batch_written(drain, slice);

	if (settled <= written)
		return;
	words += written;
	settled -= written;
	spoor_slice_words_copy(drain->words, words, settled, &holes, &events);
	/* A reader that comes after a kill in between sees either of both. */
	for (uint32_t i = settled; i-- > 2;)
		__atomic_store_n(&words[i], SPOOR_NOP_WORD, __ATOMIC_RELAXED);
	if (settled > 1) {
		__atomic_store_n(&words[1], counter, __ATOMIC_RELEASE);
		__atomic_store_n(&words[0], SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, 1, SPOOR_EXTENDED_TIME),
				 __ATOMIC_RELEASE);
	} else if (settled) {
		__atomic_store_n(&words[0], SPOOR_NOP_WORD, __ATOMIC_RELEASE);
	}
	__atomic_fetch_add(&drain->pool->lost[SPOOR_LOSS_CLEARED], events, __ATOMIC_RELAXED);
}

/* What is in the file of slices in use, for who counts the others. */
static void note_flushed(struct spoor_drain *drain)
{
	for (uint32_t slice = 0; slice < drain->slice_count; slice++) {
		/* Most have nothing, and their infos no memory. */
		uint32_t written = drain->written[slice] ? spoor_batch_written(drain, slice) : 0;

		if (written)
			__atomic_store_n(&spoor_pool_info(drain->pool, slice)->flushed, written, __ATOMIC_RELAXED);
	}
}

/* What was asked for: all slices that are somebody's. */
static void grant(struct spoor_drain *drain, uint32_t wanted, const struct spoor_clocks *clocks)
{
	struct spoor_pool *pool = drain->pool;

	for (uint32_t i = 0; i < (drain->slice_count + 63) / 64 && !drain->stuck; i++) {
		uint64_t used = ~__atomic_load_n(&pool->free[i], __ATOMIC_ACQUIRE) & spoor_drainable_there(drain->slice_count, i);

		for (; used; used &= used - 1) {
			uint32_t slice = i * 64 + (uint32_t)__builtin_ctzll(used);
			uint64_t since = __atomic_load_n(&spoor_pool_info(pool, slice)->counter, __ATOMIC_ACQUIRE);

			if (!since)
				continue;
			if (wanted == SPOOR_WISH_CLEAR)
				clear_slice(drain, slice);
			else
				flush_slice(drain, slice, since, clocks);
		}
	}
	if (drain->buffer_used)
		spoor_batch_write(drain);
	if (!drain->stuck)
		note_flushed(drain);
}

/* Anew each time: a thread that jumped out of its handler between a bit and the
 * count would leave it wrong for ever. One that is counted meanwhile stays so; a
 * stranger's pool may change for ever. */
static void count_full(struct spoor_drain *drain)
{
	struct spoor_pool *pool = drain->pool;

	for (int tries = 0; tries < COUNT_TRIES; tries++) {
		/* Looked at before the bits, as it goes up behind them (spoor_slice_retire). */
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

	read_clocks(drain, &facts.clocks);
	memcpy(block + sizeof(struct spoor_block), record, bytes);
	drain->buffer_used += spoor_block_seal(block, bytes, &facts);
	spoor_batch_make_room(drain);
}

/* A call takes too long: marks it, and has what is around it kept. */
static void noticed(void *context, uint32_t thread_id, const struct spoor_trigger_record *record)
{
	struct spoor_drain *drain = context;
	uint64_t from = spoor_watch_before(drain->watch, record->began, record->before_ms);
	struct spoor_clocks now;

	read_clocks(drain, &now);
	spoor_drain_note(drain, SPOOR_BLOCK_TRIGGER, thread_id, record, sizeof(*record));
	if (!drain->keep_until_ns || from < drain->keep_from)
		drain->keep_from = from;
	drain->keep_until_ns = now.steady_ns + (int64_t)record->after_ms * 1000000;
}

static void look(struct spoor_drain *drain, const struct spoor_clocks *clocks)
{
	/* Once all that may be kept is. */
	if (drain->watch && !spoor_watch_look(drain->watch, clocks, noticed, drain)) {
		spoor_watch_end(drain->watch);
		drain->watch = NULL;
	}
}

/* Whether a flush was posted since the last look. */
static bool posted_take(struct spoor_drain *drain)
{
	uint32_t posted = __atomic_load_n(&drain->pool->posted, __ATOMIC_ACQUIRE);

	return __atomic_exchange_n(&drain->posted, posted, __ATOMIC_RELAXED) != posted;
}

void spoor_drain_look_at_clocks(struct spoor_drain *drain, struct spoor_clocks *clocks)
{
	struct spoor_clocks *latest = &drain->pool->latest;

	read_clocks(drain, clocks);
	__atomic_store_n(&latest->steady_ns, clocks->steady_ns, __ATOMIC_RELAXED);
	latest->system_ns = clocks->system_ns;
	__atomic_store_n(&latest->counter, clocks->counter, __ATOMIC_RELAXED);
}

uint32_t spoor_drain_run(struct spoor_drain *drain, bool final)
{
	struct spoor_pool *pool = drain->pool;
	struct spoor_clocks clocks;
	uint32_t taken = 0, drained = 0, asked, wish = drain->wish;
	bool wanted;

	spoor_drain_look_at_clocks(drain, &clocks);
	__atomic_store_n(&drain->postponed, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&drain->stuck, false, __ATOMIC_RELAXED);
	drain->final = final;
	drain->wish = 0;
	asked = __atomic_load_n(&pool->asked, __ATOMIC_ACQUIRE);
	if (asked != drain->answered)
		wish |= pool->wanted;
	if (posted_take(drain))
		wish |= SPOOR_WISH_FLUSH;
	if (wish & SPOOR_WISH_CLEAR)
		grant(drain, SPOOR_WISH_CLEAR, &clocks);
	wanted = final || drain->all || !pool->ring || wish & SPOOR_WISH_FLUSH;
	look(drain, &clocks);
	if (wanted)
		taken = spoor_drainable_take(pool, drain->slice_count, final, drain->slices);
	else if (drain->keep_until_ns)
		taken = spoor_drainable_take_since(pool, drain->slice_count, drain->keep_from, drain->slices);
	/* What came in between goes as well. */
	if (taken)
		look(drain, &clocks);
	for (; drained < taken && (!drain->stuck || final); drained++)
		drain_slice(drain, drain->slices[drained], final, &clocks);
	for (uint32_t i = drained; i < taken; i++)
		spoor_pool_bit_put(pool->full, drain->slices[i]);
	if (drain->buffer_used)
		spoor_batch_write(drain);
	if (drain->keep_until_ns && clocks.steady_ns >= drain->keep_until_ns) {
		drain->keep_until_ns = 0;
		wish |= SPOOR_WISH_FLUSH;
	}
	if (wish & SPOOR_WISH_FLUSH)
		grant(drain, SPOOR_WISH_FLUSH, &clocks);
	if (wish)
		spoor_drain_losses(drain);
	if (asked != drain->answered)
		answer(drain, asked);
	count_full(drain);
	__atomic_store_n(&pool->events, drain->events, __ATOMIC_RELAXED);
	__atomic_store_n(&pool->file_bytes, drain->file_bytes, __ATOMIC_RELAXED);
	return drained;
}
