/* SPDX-License-Identifier: MIT */
/*
 * patch.c - patches the sleds of the chosen functions.
 *
 * Works on 64 functions at a time, whose bits are in one word: bits say which functions a step is for,
 * and for which it is done.
 */
#include "patch/patch.h"

#include "patch/text_pages.h"
#include "format/sled.h"
#include "patch/sled_index.h"
#include "patch/sled_check.h"

#define FEW_FUNCTIONS 64u		/* up to so many functions, the text to open is measured */
#define SPARSE 4u	/* one function of so many */
#define PIECE_WORDS 64u	/* words of bits: 4096 functions, whose sled map fits into the cache */

static inline bool bit_test(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

_Static_assert((int)SPOOR_THUNK_ENTRY == SPOOR_SLED_ENTRY && (int)SPOOR_THUNK_EXIT == SPOOR_SLED_EXIT &&
	       (int)SPOOR_THUNK_TAIL == SPOOR_SLED_TAIL, "each kind of sled has its thunk");

/* A module and the requested change. The compiler must assume that a store to the text changes any memory, so
 * each step's data is copied here, where no such store can reach. */
struct job {
	struct spoor_sleds *module;
	const uint64_t *target;		/* the functions to patch; null: none */
	uint64_t *patched, *prepared, *switchable;
	const uint64_t *framed;
	uintptr_t text;
	const uint32_t *first_sled;
	uint32_t *sleds;
	const struct spoor_dso *dso;
	uint32_t base;
	const uint32_t *indexes;	/* null: see `base` */
	bool once;
	bool is_plain;			/* all sleds reach all thunks, and no sled has two functions */
};

static bool all_reach(const struct spoor_sleds *sleds)
{
	for (int kind = SPOOR_SLED_ENTRY; kind <= SPOOR_SLED_TAIL; kind++)
		if (!spoor_sled_reaches((const uint8_t *)sleds->text_low, sleds->functions.dso->thunks[kind]) ||
		    !spoor_sled_reaches((const uint8_t *)sleds->text_high, sleds->functions.dso->thunks[kind]))
			return false;
	return sleds->text_low % SPOOR_SLED_HEAD_BYTES == 0;
}

static inline struct job job_of(struct spoor_sleds *sleds, const uint64_t *target, bool once)
{
	return (struct job){
		.module = sleds,
		.target = target,
		.patched = sleds->awake.patched,
		.prepared = sleds->prepared,
		.switchable = sleds->switchable,
		.framed = sleds->framed,
		.text = sleds->text_low,
		.first_sled = sleds->first_sled,
		.sleds = sleds->sleds,
		.dso = sleds->functions.dso,
		.base = sleds->awake.base,
		.indexes = sleds->indexes,
		.once = once,
		.is_plain = sleds->in_order && all_reach(sleds),
	};
}

/* The part of the text in which sleds change. */
struct stretch {
	uintptr_t low, high;
	uint64_t changes;	/* number of functions */
	uint64_t fresh;		/* ... of which were never patched before */
};
#define STRETCH_EMPTY { .low = UINTPTR_MAX }

static inline void stretch_add(struct stretch *stretch, const uint8_t *sled)
{
	uintptr_t at = (uintptr_t)sled;

	stretch->low = at < stretch->low ? at : stretch->low;
	stretch->high = at + SPOOR_SLED_BYTES > stretch->high ? at + SPOOR_SLED_BYTES : stretch->high;
}

static inline void stretch_add_all(struct stretch *stretch, const struct stretch *other)
{
	stretch->low = other->low < stretch->low ? other->low : stretch->low;
	stretch->high = other->high > stretch->high ? other->high : stretch->high;
}

/* One step, for the sleds [@word, @end) of function @local, or of a run of functions from @local on. */
typedef bool step(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
		  struct stretch *stretch);

/* Calls @step for each function of word @word whose bit is set in @bits. Returns the bits of those for which
 * @step returned true. */
static inline __attribute__((always_inline)) uint64_t for_each_function(const struct job *job, uint32_t word,
									uint64_t bits, step *step,
									struct stretch *stretch)
{
	const uint32_t *first = job->first_sled + word * 64;
	uint64_t done = 0;

	for (; bits; bits &= bits - 1) {
		uint32_t bit = (uint32_t)__builtin_ctzll(bits);

		done |= (uint64_t)step(job, word * 64 + bit, job->sleds + first[bit], job->sleds + first[bit + 1],
				       stretch) << bit;
	}
	return done;
}

/* Calls @step once for each run of functions whose bits are set, whose sleds are contiguous. */
static inline __attribute__((always_inline)) uint64_t for_each_run(const struct job *job, uint32_t word,
								   uint64_t bits, step *step, struct stretch *stretch)
{
	const uint32_t *first = job->first_sled + word * 64;
	uint64_t done = 0, run;

	for (; bits; bits &= ~run) {
		uint32_t bit = (uint32_t)__builtin_ctzll(bits);
		uint32_t end = ~(bits >> bit) ? bit + (uint32_t)__builtin_ctzll(~(bits >> bit)) : 64;

		run = UINT64_MAX >> (64 - end) & UINT64_MAX << bit;
		if (step(job, word * 64 + bit, job->sleds + first[bit], job->sleds + first[end], stretch))
			done |= run;
	}
	return done;
}

static inline bool measure(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
			   struct stretch *stretch)
{
	(void)local;
	for (; word < end; word++)
		if (SPOOR_SLED_WORD_KIND(*word) != SPOOR_SLED_ALONE)
			stretch_add(stretch, spoor_sled_at(job->text, *word));
	return true;
}

static inline bool fetch(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
			 struct stretch *stretch)
{
	(void)local;
	(void)stretch;
	for (; word < end; word++)
		__builtin_prefetch(spoor_sled_at(job->text, *word), 1);
	return true;
}

/* The operands that all sleds of a function share. */
struct operands {
	uint32_t index;
	const void *entry_thunk;
};

static inline struct operands operands_of(const struct job *job, uint32_t local)
{
	return (struct operands){
		.index = job->indexes ? job->indexes[local] : job->base + local,
		.entry_thunk = bit_test(job->framed, local) ? job->dso->framed_thunk : job->dso->thunks[SPOOR_SLED_ENTRY],
	};
}

/* Writes a sled's operands: the function's code and the thunk. */
static inline void prepare_sled(const struct job *job, const struct operands *operands, uint32_t word,
				struct stretch *written)
{
	uint8_t kind = SPOOR_SLED_WORD_KIND(word);
	const void *thunk = kind == SPOOR_SLED_ENTRY ? operands->entry_thunk : job->dso->thunks[kind];

	spoor_sled_prepare(spoor_sled_at(job->text, word), kind, thunk, operands->index);
	stretch_add(written, spoor_sled_at(job->text, word));
}

/* Writes the bytes of a sled that never change again. If the sled must first become a jump over them, writes
 * only the jump and returns false. */
static inline bool prepare_first(const struct job *job, const struct operands *operands, uint32_t word,
				 struct stretch *written)
{
	if (spoor_sled_jump_over_rest(spoor_sled_at(job->text, word), SPOOR_SLED_WORD_KIND(word))) {
		stretch_add(written, spoor_sled_at(job->text, word));
		return false;
	}
	prepare_sled(job, operands, word, written);
	return true;
}

/* Prepares a function whose sleds, from @word on, need a full check. All are checked before any is written:
 * functions that a linker merged have their sleds several times. */
static __attribute__((noinline)) bool prepare_checked(struct spoor_sleds *sleds, uint32_t local, uint32_t *word,
						      struct stretch *written)
{
	const struct job job = job_of(sleds, NULL, false);
	const struct operands operands = operands_of(&job, local);
	uint32_t *begin = job.sleds + job.first_sled[local], *end = job.sleds + job.first_sled[local + 1];
	bool whole = true, any = false;

	spoor_sleds_check(sleds, begin, end);
	for (uint32_t *at = begin; at < end; at++) {
		if (SPOOR_SLED_WORD_KIND(*at) == SPOOR_SLED_ALONE)
			continue;
		any = true;
		if (at >= word)
			whole &= prepare_first(&job, &operands, *at, written);
	}
	if (!any)
		job.switchable[local / 64] &= ~(1ull << (local % 64));
	return whole;
}

/* Prepares a function that is patched for the first time. */
static inline bool prepare(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
			   struct stretch *written)
{
	const struct operands operands = operands_of(job, local);
	struct stretch checked = STRETCH_EMPTY;	/* separate, so that @written stays in registers */
	const uint32_t *begin = word;
	bool whole = true;

	while (word < end && job->is_plain &&
	       spoor_sled_is_fresh(spoor_sled_at(job->text, *word), SPOOR_SLED_WORD_KIND(*word)))
		whole &= prepare_first(job, &operands, *word++, written);
	if (word == end && begin < end)
		return whole;
	whole &= prepare_checked(job->module, local, word, &checked);
	stretch_add_all(written, &checked);
	return whole;
}

/* Prepares the sleds that became jumps before: only entries. */
static inline bool prepare_more(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
				struct stretch *written)
{
	const struct operands operands = operands_of(job, local);

	for (; word < end; word++)
		if (SPOOR_SLED_WORD_KIND(*word) == SPOOR_SLED_ENTRY)
			prepare_sled(job, &operands, *word, written);
	return true;
}

static inline bool is_ours(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
			   struct stretch *stretch)
{
	(void)local;
	(void)stretch;
	for (; word < end; word++)
		if (SPOOR_SLED_WORD_KIND(*word) != SPOOR_SLED_ALONE &&
		    !spoor_sled_is_ours(spoor_sled_at(job->text, *word), SPOOR_SLED_WORD_KIND(*word)))
			return false;
	return true;
}

static inline bool switch_heads(const struct job *job, uint32_t *word, const uint32_t *end, bool on,
				struct stretch *written)
{
	bool entries_only = on && job->once;

	for (; word < end; word++) {
		uint8_t kind = SPOOR_SLED_WORD_KIND(*word);

		if (kind == SPOOR_SLED_ALONE || (entries_only && kind != SPOOR_SLED_ENTRY))
			continue;
		spoor_sled_switch(spoor_sled_at(job->text, *word), kind, on);
		stretch_add(written, spoor_sled_at(job->text, *word));
	}
	return true;
}

static inline bool switch_on(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
			     struct stretch *written)
{
	(void)local;
	return switch_heads(job, word, end, true, written);
}

static inline bool switch_off(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
			      struct stretch *written)
{
	(void)local;
	return switch_heads(job, word, end, false, written);
}

static inline uint64_t changes(const struct job *job, uint32_t word)
{
	return job->patched[word] ^ (job->target ? job->target[word] : 0);
}

/* Makes the stored bytes visible to all threads before the next step. */
static inline void publish(uint64_t any, const struct stretch *written)
{
	if (!any)
		return;
	spoor_text_changed(written->low, written->high);
	spoor_patch_synchronise();
}

/* Changes the functions of words [@begin, @end) of the bits. If one sled of a function has foreign bytes, none
 * of its sleds changes until the next choice. Returns the number of changed functions. */
static inline __attribute__((always_inline)) long change_piece(const struct job *job, uint32_t begin, uint32_t end)
{
	struct stretch written = STRETCH_EMPTY, more = STRETCH_EMPTY, switched = STRETCH_EMPTY;
	uint64_t fresh[PIECE_WORDS], halves[PIECE_WORDS], any_new = 0, any_half = 0;
	long changed = 0;

	for (uint32_t word = begin; word < end; word++) {
		uint64_t new = changes(job, word) & ~job->patched[word] & ~job->prepared[word], whole;

		job->switchable[word] |= new;
		whole = for_each_function(job, word, new, prepare, &written);
		job->prepared[word] |= whole;
		fresh[word - begin] = new;
		halves[word - begin] = new & ~whole;
		any_new |= new;
		any_half |= new & ~whole;
	}
	publish(any_new, &written);
	for (uint32_t word = begin; word < end; word++)
		job->prepared[word] |= for_each_function(job, word, halves[word - begin], prepare_more, &more);
	publish(any_half, &more);
	for (uint32_t word = begin; word < end; word++) {
		uint64_t new = fresh[word - begin], known = changes(job, word) & ~new, ours;

		ours = new | for_each_run(job, word, known, is_ours, NULL);
		ours |= for_each_function(job, word, known & ~ours, is_ours, NULL);
		for_each_run(job, word, ours & ~job->patched[word], switch_on, &switched);
		for_each_run(job, word, ours & job->patched[word], switch_off, &switched);
		job->patched[word] ^= ours;
		changed += __builtin_popcountll(ours & job->switchable[word]);
	}
	spoor_text_changed(switched.low, switched.high);
	return changed;
}

/* Finds the text between the first and the last sled that change. If there are many, takes all text of the
 * module: an untouched page in between costs next to no time. */
static inline struct stretch find_stretch(const struct job *job, uint32_t words)
{
	struct stretch stretch = STRETCH_EMPTY;

	for (uint32_t word = 0; word < words; word++) {
		stretch.changes += (uint64_t)__builtin_popcountll(changes(job, word));
		stretch.fresh += (uint64_t)__builtin_popcountll(changes(job, word) & ~job->prepared[word]);
	}
	if (stretch.changes > FEW_FUNCTIONS || (stretch.changes && job->once)) {
		stretch.low = job->module->text_low;
		stretch.high = job->module->text_high + SPOOR_SLED_BYTES;
		return stretch;
	}
	for (uint32_t word = 0; word < words; word++)
		for_each_run(job, word, changes(job, word), measure, &stretch);
	return stretch;
}

/* Aligned, because the place of its loops within cache lines changes the time of a patch by a tenth. */
__attribute__((aligned(64))) long spoor_patch_apply(struct spoor_sleds *sleds, const uint64_t *target, bool once)
{
	const struct job job = job_of(sleds, target, once);
	uint32_t words = (sleds->functions.count + 63) / 64;
	struct stretch stretch = find_stretch(&job, words);
	long changed = 0;
	bool stays_open;
	int error;

	if (stretch.low > stretch.high)
		return 0;
	stays_open = spoor_patch_text_is_writable(stretch.low, stretch.high);
	error = spoor_patch_open_text(sleds, stretch.low, stretch.high, stretch.fresh);
	if (error < 0) {
		if (!stays_open)
			spoor_patch_close_text(sleds, stretch.low, stretch.high);
		return error;
	}
	/* In pieces that are still in the cache when their heads are switched. */
	for (uint32_t word = 0; word < words; word += PIECE_WORDS) {
		uint32_t end = words - word < PIECE_WORDS ? words : word + PIECE_WORDS;

		/* If few functions change, the processor cannot predict the accesses, and waiting for each
		 * cache miss would take most of the time. */
		for (uint32_t at = word; at < end && stretch.changes < sleds->functions.count / SPARSE; at++)
			for_each_run(&job, at, changes(&job, at), fetch, NULL);
		changed += change_piece(&job, word, end);
	}
	/* A thread may still be inside a sled that disables itself, so its text stays writable. */
	sleds->text_open |= once;
	if (!sleds->text_open && !stays_open)
		spoor_patch_close_text(sleds, stretch.low, stretch.high);
	spoor_patch_synchronise();
	return changed;
}
