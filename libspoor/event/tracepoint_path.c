/* SPDX-License-Identifier: MIT */
/*
 * tracepoint_path.c - stores the record of an enabled tracepoint in the thread's slice.
 *
 * About 115 instructions with four arguments, including reading the counter, and no call. If the slice has
 * no room, or another record must come first, the record takes the slow path.
 */
#include "event/tracepoint_path.h"

#include <stddef.h>

#include "base/time_source.h"
#include "event/record_path.h"

_Static_assert(SPOOR_SDT_TYPES_SHIFT == 48 && SPOOR_TRACEPOINT_ARGUMENTS_MAX < 16, "spoor/sdt.h");
/* These offsets never change, because modules are compiled with them. */
_Static_assert(offsetof(struct spoor_sdt_probe, record) == 32 && sizeof(struct spoor_sdt_probe) == 80, "spoor/sdt.h");

/* An argument has 64 bits, but a word of a record has 60. One more word has the upper 4 bits of all arguments. */
static inline uint64_t lower(uint64_t argument)
{
	return SPOOR_USER_MARK | (argument & (SPOOR_USER_MARK - 1));
}

static inline void pack_head(volatile uint64_t *words, uint64_t counter, const struct spoor_sdt_probe *probe,
			     uint64_t types, uint64_t upper)
{
	uint64_t number = __atomic_load_n(&probe->number, __ATOMIC_RELAXED);

	words[0] = lower(counter);
	words[1] = SPOOR_USER_MARK | (types & SPOOR_TRACEPOINT_TYPES_MASK) | (number & 0xfff) << 48;
	words[2] = SPOOR_USER_MARK | upper | (number >> 12) << 48;
}

static inline void pack(volatile uint64_t *words, uint64_t counter, const struct spoor_sdt_probe *probe, uint64_t types,
			const uint64_t *arguments, uint32_t count)
{
	uint64_t upper = 0;

	for (uint32_t i = 0; i < count; i++) {
		words[SPOOR_TRACEPOINT_WORDS + i] = lower(arguments[i]);
		upper |= arguments[i] >> 60 << (4 * i);
	}
	pack_head(words, counter, probe, types, upper);
}

/* Reserves a record of 1 + @count words. Returns null if the record must take the slow path. */
static inline volatile uint64_t *reserve(struct spoor_thread *thread, uint32_t count, uint64_t *counter)
{
	volatile uint64_t *slot;

	if (__builtin_expect(!thread->process_id || spoor_gap_is_due(thread) || spoor_counter_is_clock, 0))
		return NULL;
	*counter = spoor_cycles();
	slot = (volatile uint64_t *)spoor_cursor_add(&thread->cursor, (1 + count) * 8);
	if (__builtin_expect(spoor_record_fits(slot, count), 1))
		return slot;
	spoor_record_gives_up(slot, count);
	return NULL;
}

__attribute__((noinline)) static void store_slowly(const struct spoor_sdt_probe *probe, uint64_t types,
						   const uint64_t *arguments, uint32_t count)
{
	uint64_t words[SPOOR_TRACEPOINT_WORDS + SPOOR_TRACEPOINT_ARGUMENTS_MAX];

	pack(words, 0, probe, types, arguments, count);
	spoor_record_store(SPOOR_EXTENDED_TRACEPOINT, words, SPOOR_TRACEPOINT_WORDS + count);
}

__attribute__((noinline)) static void store_few_slowly(const struct spoor_sdt_probe *probe, uint64_t types, uint64_t a,
						       uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t arguments[4] = { a, b, c, d };
	uint32_t count = (uint32_t)(types >> SPOOR_SDT_TYPES_SHIFT);

	store_slowly(probe, types, arguments, count < 4 ? count : 4);
}

void spoor_tracepoint_record(struct spoor_sdt_probe *probe, uint64_t types, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint32_t count = (uint32_t)(types >> SPOOR_SDT_TYPES_SHIFT);
	uint32_t length = SPOOR_TRACEPOINT_WORDS + (count < 4 ? count : 4);
	struct spoor_thread *thread = spoor_thread;
	uint64_t counter;
	volatile uint64_t *slot = reserve(thread, length, &counter);

	if (__builtin_expect(!slot, 0)) {
		store_few_slowly(probe, types, a, b, c, d);
		return;
	}
	switch (count) {
	default:
		slot[7] = lower(d);
		/* fallthrough */
	case 3:
		slot[6] = lower(c);
		/* fallthrough */
	case 2:
		slot[5] = lower(b);
		/* fallthrough */
	case 1:
		slot[4] = lower(a);
		/* fallthrough */
	case 0:
		break;
	}
	/* Arguments beyond @count are 0. */
	pack_head(slot + 1, counter, probe, types, a >> 60 | b >> 60 << 4 | c >> 60 << 8 | d >> 60 << 12);
	spoor_record_end(thread, slot, SPOOR_EXTENDED_TRACEPOINT, length, counter);
}

void spoor_tracepoint_record_many(struct spoor_sdt_probe *probe, uint64_t types, const uint64_t *arguments)
{
	uint32_t count = (uint32_t)(types >> SPOOR_SDT_TYPES_SHIFT);
	struct spoor_thread *thread = spoor_thread;
	volatile uint64_t *slot;
	uint64_t counter;

	if (count > SPOOR_TRACEPOINT_ARGUMENTS_MAX)
		count = SPOOR_TRACEPOINT_ARGUMENTS_MAX;
	slot = reserve(thread, SPOOR_TRACEPOINT_WORDS + count, &counter);
	if (__builtin_expect(!slot, 0)) {
		store_slowly(probe, types, arguments, count);
		return;
	}
	pack(slot + 1, counter, probe, types, arguments, count);
	spoor_record_end(thread, slot, SPOOR_EXTENDED_TRACEPOINT, SPOOR_TRACEPOINT_WORDS + count, counter);
}
