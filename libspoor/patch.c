/* SPDX-License-Identifier: MIT */
/*
 * patch.c - from a choice of functions to bytes in the text.
 *
 * The unit of cost is the page touched (a copy-on-write of 2 us), never the
 * function: one mprotect makes the whole stretch of a segment writable, however
 * few of its pages are written, and none of it ever loses the right to be executed.
 */
#define _GNU_SOURCE
#include "patch.h"

#include <errno.h>
#include <link.h>
#include <linux/membarrier.h>
#include <linux/mman.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clocks.h"
#include "processor.h"
#include "sled.h"
#include "sled_index.h"

#define FEW 64u		/* functions whose sleds are worth being measured */
#define FEW_OF 4u	/* one function of so many */
#define WITHOUT_BARRIER_NS 100000
#define PIECE 64u	/* words of bits: 4096 functions, whose sled map fits into the cache */

static bool barrier_registered;
static uint64_t looked_at[PIECE];	/* functions of the piece whose sleds are good, and ours, as of now */
static enum { WRITABLE_UNKNOWN, WRITABLE_YES, WRITABLE_NO } text_writable;

static inline bool bit_test(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static inline void bit_set(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= 1ull << (i % 64);
}

void spoor_patch_begin(void)
{
	barrier_registered =
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
}

void spoor_patch_synchronise(void)
{
	int64_t begin_ns;

	if (barrier_registered &&
	    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0)
		return;
	/* An old kernel, or a filter: by then what processors had fetched before has been executed. */
	begin_ns = spoor_clock_ns(CLOCK_MONOTONIC);
	while (spoor_clock_ns(CLOCK_MONOTONIC) - begin_ns < WITHOUT_BARRIER_NS)
		;
}

/* Tried on a page of our own: a filter may let the one through and refuse the other. */
bool spoor_patch_is_allowed(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *probe;

	if (text_writable != WRITABLE_UNKNOWN)
		return text_writable == WRITABLE_YES;
	text_writable = WRITABLE_NO;
	probe = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (probe == MAP_FAILED)
		return false;
	if (mprotect(probe, page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0 &&
	    mprotect(probe, page, PROT_READ | PROT_EXEC) == 0)
		text_writable = WRITABLE_YES;
	munmap(probe, page);
	return text_writable == WRITABLE_YES;
}

_Static_assert((int)SPOOR_THUNK_ENTRY == SPOOR_SLED_ENTRY && (int)SPOOR_THUNK_EXIT == SPOOR_SLED_EXIT &&
	       (int)SPOOR_THUNK_TAIL == SPOOR_SLED_TAIL, "each kind of sled has its thunk");

static inline uint8_t *sled_at(uintptr_t text, uint32_t word)
{
	return (uint8_t *)(text + SPOOR_SLED_WORD_DISTANCE(word));
}

/* Looks at a sled for the first time. */
static inline bool sled_is_good(struct spoor_instance *instance, uint32_t word)
{
	struct spoor_left_alone *left_alone = &instance->left_alone;
	uint8_t kind = SPOOR_SLED_WORD_KIND(word);

	switch (spoor_sled_check(sled_at(instance->text_low, word), kind, instance->dso->thunks[kind],
				 SPOOR_SLED_BYTES + 8)) {
	case SPOOR_SLED_GOOD:
		return true;
	case SPOOR_SLED_UNEXPECTED:
		left_alone->unexpected_bytes++;
		break;
	case SPOOR_SLED_CONDITIONAL:
		left_alone->conditional_jump++;
		break;
	case SPOOR_SLED_STACK_OPERAND:
		left_alone->stack_operand++;
		break;
	case SPOOR_SLED_OUT_OF_REACH:
		left_alone->out_of_reach++;
		break;
	}
	return false;
}

/* The stretch of text in which sleds change. */
struct stretch {
	uintptr_t low, high;
	uint64_t changes;	/* functions */
};
#define STRETCH_EMPTY { .low = UINTPTR_MAX }

static inline void stretch_add(struct stretch *stretch, const uint8_t *sled)
{
	uintptr_t at = (uintptr_t)sled;

	stretch->low = at < stretch->low ? at : stretch->low;
	stretch->high = at + SPOOR_SLED_BYTES > stretch->high ? at + SPOOR_SLED_BYTES : stretch->high;
}

typedef bool step(struct spoor_instance *instance, uint32_t local, bool on, struct stretch *stretch);

static bool measure(struct spoor_instance *instance, uint32_t local, bool on, struct stretch *stretch)
{
	(void)on;
	for (uint32_t i = instance->first_sled[local]; i < instance->first_sled[local + 1]; i++)
		if (SPOOR_SLED_WORD_KIND(instance->sleds[i]) != SPOOR_SLED_ALONE)
			stretch_add(stretch, sled_at(instance->text_low, instance->sleds[i]));
	return true;
}

/* Where few functions change, asks for what the next steps look at: of all of them the
 * processor foresees it, and one miss after the other would cost more than all else. */
static bool fetch(struct spoor_instance *instance, uint32_t local, bool on, struct stretch *stretch)
{
	(void)on;
	(void)stretch;
	for (uint32_t i = instance->first_sled[local]; i < instance->first_sled[local + 1]; i++)
		__builtin_prefetch(sled_at(instance->text_low, instance->sleds[i]), 1);
	return true;
}

/* Of function @local, what its sled carries and where it leads. */
static inline bool prepare_sled(struct spoor_instance *instance, uint32_t local, uint32_t word)
{
	uint8_t kind = SPOOR_SLED_WORD_KIND(word);
	const void *thunk = kind == SPOOR_SLED_ENTRY && bit_test(instance->framed, local) ?
			    instance->dso->framed_thunk : instance->dso->thunks[kind];

	return spoor_sled_prepare(sled_at(instance->text_low, word), kind, thunk, instance->base + local);
}

static void leave_all(struct spoor_instance *instance, uint32_t *words, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		instance->left_alone.unexpected_bytes += SPOOR_SLED_WORD_KIND(words[i]) != SPOOR_SLED_ALONE;
		words[i] |= SPOOR_SLED_ALONE;
	}
}

/* The bytes of a function patched for the first time that never change again. What is written
 * may be anything to the compiler: so much is read before. Where its entry is not to be patched
 * its exits are not either: nobody could tell what they are exits of. */
static bool prepare(struct spoor_instance *instance, uint32_t local, bool on, struct stretch *written)
{
	uint32_t *words = instance->sleds + instance->first_sled[local];
	uint32_t count = instance->first_sled[local + 1] - instance->first_sled[local];
	bool whole = true;

	if (!on || bit_test(instance->prepared, local))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint8_t kind = SPOOR_SLED_WORD_KIND(words[i]);

		if (kind == SPOOR_SLED_ALONE)
			continue;
		words[i] ^= kind ^ spoor_sled_kind(sled_at(instance->text_low, words[i]), kind);
		if (sled_is_good(instance, words[i]))
			continue;
		words[i] |= SPOOR_SLED_ALONE;
		if (kind == SPOOR_SLED_ENTRY)
			leave_all(instance, words, count);
	}
	/* Then: functions that a linker folded into one have each sled several times. */
	for (uint32_t i = 0; i < count; i++) {
		if (SPOOR_SLED_WORD_KIND(words[i]) == SPOOR_SLED_ALONE)
			continue;
		whole &= prepare_sled(instance, local, words[i]);
		stretch_add(written, sled_at(instance->text_low, words[i]));
	}
	bit_set(looked_at, local % (PIECE * 64));
	if (whole)
		bit_set(instance->prepared, local);
	return true;
}

/* What has become a jump so far: the entry alone. */
static bool prepare_more(struct spoor_instance *instance, uint32_t local, bool on, struct stretch *written)
{
	if (!on || bit_test(instance->prepared, local))
		return false;
	for (uint32_t i = instance->first_sled[local]; i < instance->first_sled[local + 1]; i++) {
		if (SPOOR_SLED_WORD_KIND(instance->sleds[i]) != SPOOR_SLED_ENTRY)
			continue;
		prepare_sled(instance, local, instance->sleds[i]);
		stretch_add(written, sled_at(instance->text_low, instance->sleds[i]));
	}
	bit_set(instance->prepared, local);
	return true;
}

/* All of a function's sleds, or none where another's bytes are in one: then it stays
 * as it is until the next choice. Return: whether there was one to switch. */
static bool switch_heads(struct spoor_instance *instance, uint32_t local, bool on, struct stretch *written)
{
	const uint32_t *word = instance->sleds + instance->first_sled[local];
	const uint32_t *end = instance->sleds + instance->first_sled[local + 1];
	uintptr_t text = instance->text_low;
	bool any = false;

	for (const uint32_t *at = word; at < end && !bit_test(looked_at, local % (PIECE * 64)); at++) {
		if (SPOOR_SLED_WORD_KIND(*at) != SPOOR_SLED_ALONE &&
		    !spoor_sled_is_ours(sled_at(text, *at), SPOOR_SLED_WORD_KIND(*at)))
			return false;
	}
	for (; word < end; word++) {
		if (SPOOR_SLED_WORD_KIND(*word) == SPOOR_SLED_ALONE ||
		    (on && instance->once && SPOOR_SLED_WORD_KIND(*word) != SPOOR_SLED_ENTRY))
			continue;
		spoor_sled_switch(sled_at(text, *word), SPOOR_SLED_WORD_KIND(*word), on);
		stretch_add(written, sled_at(text, *word));
		any = true;
	}
	instance->patched[local / 64] ^= 1ull << (local % 64);
	return any;
}

/* One step for every function of words [begin, end) of the bits whose state and
 * target differ. Return: for how many it was true. */
static inline long each_change(struct spoor_instance *instance, const uint64_t *target, uint32_t begin,
			       uint32_t end, step *step, struct stretch *stretch)
{
	long count = 0;

	for (uint32_t word = begin; word < end; word++) {
		uint64_t on = target ? target[word] : 0;

		for (uint64_t differ = on ^ instance->patched[word]; differ; differ &= differ - 1) {
			uint32_t bit = (uint32_t)__builtin_ctzll(differ);

			count += step(instance, word * 64 + bit, on >> bit & 1, stretch);
		}
	}
	return count;
}

/* A step that must be seen by all threads before the next one. */
static void change_first(struct spoor_instance *instance, const uint64_t *target, uint32_t begin, uint32_t end,
			 step *step)
{
	struct stretch written = STRETCH_EMPTY;

	if (!each_change(instance, target, begin, end, step, &written))
		return;
	spoor_text_changed(written.low, written.high);
	spoor_patch_synchronise();
}

/* The text between the first and the last sled that change; roughly, where they
 * are many: an untouched page in between costs next to nothing. */
static struct stretch find_stretch(struct spoor_instance *instance, const uint64_t *target)
{
	struct stretch stretch = STRETCH_EMPTY;
	uint32_t words = (instance->count + 63) / 64;

	for (uint32_t word = 0; word < words; word++)
		stretch.changes += (uint64_t)__builtin_popcountll(instance->patched[word] ^
								  (target ? target[word] : 0));
	if (stretch.changes > FEW || (stretch.changes && instance->once)) {
		stretch.low = instance->text_low;
		stretch.high = instance->text_high + SPOOR_SLED_BYTES;
	} else {
		each_change(instance, target, 0, words, measure, &stretch);
	}
	return stretch;
}

static int protect(uintptr_t low, uintptr_t high, int protection, uint64_t changes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = low & -page;
	size_t bytes = ((high + page - 1) & -page) - begin;

	if (mprotect((void *)begin, bytes, protection) < 0)
		return -errno;
	/* One call rather than a fault for each page. */
	if (protection & PROT_WRITE && changes >= bytes / page)
		madvise((void *)begin, bytes, MADV_POPULATE_WRITE);
	return 0;
}

/* Lets the text of a stretch be written to, or closes it again. What lies between
 * two segments of text is not touched: it may be data, or nobody's. */
static int stretch_protect(const struct spoor_instance *instance, const struct stretch *stretch, bool writable)
{
	const ElfW(Ehdr) *header = instance->dso->image;
	const ElfW(Phdr) *segments = header ? (const void *)((const char *)header + header->e_phoff) : NULL;
	int more = writable ? PROT_WRITE : 0;

	if (!header)
		return protect(stretch->low, stretch->high, PROT_READ | PROT_EXEC | more, stretch->changes);
	more |= spoor_text_protection(segments, header->e_phnum, instance->load_bias);
	for (int i = 0; i < header->e_phnum; i++) {
		uintptr_t low = instance->load_bias + segments[i].p_vaddr, high = low + segments[i].p_memsz;
		uint32_t flags = segments[i].p_flags;
		int error;

		low = low > stretch->low ? low : stretch->low;
		high = high < stretch->high ? high : stretch->high;
		if (segments[i].p_type != PT_LOAD || !(flags & PF_X) || low >= high)
			continue;
		error = protect(low, high, PROT_EXEC | (flags & PF_R ? PROT_READ : 0) |
					   (flags & PF_W ? PROT_WRITE : 0) | more, stretch->changes);
		if (error < 0)
			return error;
	}
	return 0;
}

long spoor_patch_apply(struct spoor_instance *instance, const uint64_t *target)
{
	struct stretch stretch = find_stretch(instance, target);
	uint32_t words = (instance->count + 63) / 64;
	long changed = 0;
	int error;

	if (stretch.low > stretch.high)
		return 0;
	error = stretch_protect(instance, &stretch, true);
	if (error < 0) {
		stretch_protect(instance, &stretch, false);
		return error;
	}
	/* In pieces that are still in the cache when they are switched. */
	for (uint32_t word = 0; word < words; word += PIECE) {
		uint32_t end = words - word < PIECE ? words : word + PIECE;
		struct stretch switched = STRETCH_EMPTY;

		memset(looked_at, 0, sizeof(looked_at));
		if (stretch.changes < instance->count / FEW_OF)
			each_change(instance, target, word, end, fetch, NULL);
		change_first(instance, target, word, end, prepare);
		change_first(instance, target, word, end, prepare_more);
		changed += each_change(instance, target, word, end, switch_heads, &switched);
		spoor_text_changed(switched.low, switched.high);
	}
	/* Who comes through a sled that goes back to sleep may be late. */
	instance->text_open |= instance->once;
	if (!instance->text_open)
		stretch_protect(instance, &stretch, false);
	spoor_patch_synchronise();
	return changed;
}
