/* SPDX-License-Identifier: MIT */
/*
 * patch.c - from a choice of functions to bytes in the text.
 *
 * Of 64 functions at a time, whose bits are a word: bits say which of them a step concerns, and
 * what it has done.
 */
#include "patch.h"

#include "patch_text.h"
#include "sled.h"
#include "sled_index.h"

#define FEW 64u		/* functions whose sleds are worth being measured */
#define FEW_OF 4u	/* one function of so many */
#define PIECE 64u	/* words of bits: 4096 functions, whose sled map fits into the cache */

static uint64_t halves[PIECE];	/* functions of the piece of which an entry has become a jump, and no more */

static inline bool bit_test(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

_Static_assert((int)SPOOR_THUNK_ENTRY == SPOOR_SLED_ENTRY && (int)SPOOR_THUNK_EXIT == SPOOR_SLED_EXIT &&
	       (int)SPOOR_THUNK_TAIL == SPOOR_SLED_TAIL, "each kind of sled has its thunk");

/* A module and what is to become of it. The stores to its text may be stores to anything, to the
 * compiler: what each step asks for is here, where none of them can reach it. */
struct job {
	struct spoor_instance *instance;
	const uint64_t *target;		/* null: none */
	uint64_t *patched, *prepared, *switchable;
	const uint64_t *framed;
	uintptr_t text;
	const uint32_t *first_sled;
	uint32_t *sleds;
	const struct spoor_dso *dso;
	uint32_t base;
	bool once;
	bool is_plain;			/* all sleds reach all thunks, and none is there twice */
};

static bool all_reach(const struct spoor_instance *instance)
{
	for (int kind = SPOOR_SLED_ENTRY; kind <= SPOOR_SLED_TAIL; kind++)
		if (!spoor_sled_reaches((const uint8_t *)instance->text_low, instance->dso->thunks[kind]) ||
		    !spoor_sled_reaches((const uint8_t *)instance->text_high, instance->dso->thunks[kind]))
			return false;
	return instance->text_low % SPOOR_SLED_HEAD_BYTES == 0;
}

static inline struct job job_of(struct spoor_instance *instance, const uint64_t *target)
{
	return (struct job){
		.instance = instance,
		.target = target,
		.patched = instance->patched,
		.prepared = instance->prepared,
		.switchable = instance->switchable,
		.framed = instance->framed,
		.text = instance->text_low,
		.first_sled = instance->first_sled,
		.sleds = instance->sleds,
		.dso = instance->dso,
		.base = instance->base,
		.once = instance->once,
		.is_plain = instance->in_order && all_reach(instance),
	};
}

static inline uint8_t *sled_at(uintptr_t text, uint32_t word)
{
	return (uint8_t *)(text + SPOOR_SLED_WORD_DISTANCE(word));
}

/* The stretch of text in which sleds change. */
struct stretch {
	uintptr_t low, high;
	uint64_t changes;	/* functions */
	uint64_t fresh;		/* those that were never patched */
};
#define STRETCH_EMPTY { .low = UINTPTR_MAX }

static inline void stretch_add(struct stretch *stretch, const uint8_t *sled)
{
	uintptr_t at = (uintptr_t)sled;

	stretch->low = at < stretch->low ? at : stretch->low;
	stretch->high = at + SPOOR_SLED_BYTES > stretch->high ? at + SPOOR_SLED_BYTES : stretch->high;
}

/* Looks at a sled for the first time. */
static bool sled_is_good(struct spoor_instance *instance, uint32_t word)
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

static void leave_all(struct spoor_instance *instance, uint32_t *word, const uint32_t *end)
{
	for (; word < end; word++) {
		instance->left_alone.unexpected_bytes += SPOOR_SLED_WORD_KIND(*word) != SPOOR_SLED_ALONE;
		*word |= SPOOR_SLED_ALONE;
	}
}

/* Which of a function's sleds are to be patched. Where its entry is not its exits
 * are not either: nobody could tell what they are exits of. */
static void look_closely(struct spoor_instance *instance, uint32_t *begin, const uint32_t *end)
{
	for (uint32_t *word = begin; word < end; word++) {
		uint8_t kind = SPOOR_SLED_WORD_KIND(*word);

		if (kind == SPOOR_SLED_ALONE)
			continue;
		*word ^= kind ^ spoor_sled_kind(sled_at(instance->text_low, *word), kind);
		if (sled_is_good(instance, *word))
			continue;
		*word |= SPOOR_SLED_ALONE;
		if (kind == SPOOR_SLED_ENTRY)
			leave_all(instance, begin, end);
	}
}

/* One step, with the sleds [@word, @end) of function @local, or of it and those behind it. */
typedef bool step(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
		  struct stretch *stretch);

/* It for each function whose bit is set in @bits, of those of word @word. Return: the bits of those
 * for which it returned true. */
static inline __attribute__((always_inline)) uint64_t each(const struct job *job, uint32_t word, uint64_t bits,
							   step *step, struct stretch *stretch)
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

/* It for each run of functions whose bits are set, whose sleds are one behind the other. */
static inline __attribute__((always_inline)) uint64_t each_run(const struct job *job, uint32_t word, uint64_t bits,
							       step *step, struct stretch *stretch)
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
			stretch_add(stretch, sled_at(job->text, *word));
	return true;
}

static inline bool fetch(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
			 struct stretch *stretch)
{
	(void)local;
	(void)stretch;
	for (; word < end; word++)
		__builtin_prefetch(sled_at(job->text, *word), 1);
	return true;
}

/* What its sled carries and where it leads. */
static inline void prepare_sled(const struct job *job, uint32_t local, uint32_t word, struct stretch *written)
{
	uint8_t kind = SPOOR_SLED_WORD_KIND(word);
	const void *thunk = kind == SPOOR_SLED_ENTRY && bit_test(job->framed, local) ? job->dso->framed_thunk :
											job->dso->thunks[kind];

	spoor_sled_prepare(sled_at(job->text, word), kind, thunk, job->base + local);
	stretch_add(written, sled_at(job->text, word));
}

/* A sled's bytes that never change again, or the jump over them that comes first. */
static inline void prepare_first(const struct job *job, uint32_t local, uint32_t word, struct stretch *written)
{
	if (!spoor_sled_step_aside(sled_at(job->text, word), SPOOR_SLED_WORD_KIND(word))) {
		prepare_sled(job, local, word, written);
		return;
	}
	stretch_add(written, sled_at(job->text, word));
	halves[local / 64 % PIECE] |= 1ull << (local % 64);
}

/* A function whose sleds, from @word on, are not all as one expects. Each is looked at before any is written
 * to: functions that a linker folded into one have them several times. Return: whether there is one to switch. */
static __attribute__((noinline)) bool prepare_closely(struct spoor_instance *instance, uint32_t local, uint32_t *word,
						      struct stretch *written)
{
	const struct job job = job_of(instance, NULL);
	uint32_t *begin = job.sleds + job.first_sled[local], *end = job.sleds + job.first_sled[local + 1];
	bool any = word > begin;

	look_closely(instance, begin, end);
	for (; word < end; word++) {
		if (SPOOR_SLED_WORD_KIND(*word) == SPOOR_SLED_ALONE)
			continue;
		prepare_first(&job, local, *word, written);
		any = true;
	}
	return any;
}

/* A function that is patched for the first time. Return: as prepare_closely */
static inline bool prepare(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
			   struct stretch *written)
{
	if (word == end)
		return false;
	for (; word < end; word++) {
		if (!job->is_plain || !spoor_sled_is_fresh(sled_at(job->text, *word), SPOOR_SLED_WORD_KIND(*word)))
			return prepare_closely(job->instance, local, word, written);
		prepare_first(job, local, *word, written);
	}
	return true;
}

/* Who has stepped aside: the entry alone. */
static inline bool prepare_more(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
				struct stretch *written)
{
	for (; word < end; word++)
		if (SPOOR_SLED_WORD_KIND(*word) == SPOOR_SLED_ENTRY)
			prepare_sled(job, local, *word, written);
	return true;
}

static inline bool is_ours(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
			   struct stretch *stretch)
{
	(void)local;
	(void)stretch;
	for (; word < end; word++)
		if (SPOOR_SLED_WORD_KIND(*word) != SPOOR_SLED_ALONE &&
		    !spoor_sled_is_ours(sled_at(job->text, *word), SPOOR_SLED_WORD_KIND(*word)))
			return false;
	return true;
}

/* Functions that are all patched, or none. */
static inline bool switch_heads(const struct job *job, uint32_t local, uint32_t *word, const uint32_t *end,
				struct stretch *written)
{
	bool on = !bit_test(job->patched, local), entries_only = on && job->once;

	for (; word < end; word++) {
		uint8_t kind = SPOOR_SLED_WORD_KIND(*word);

		if (kind == SPOOR_SLED_ALONE || (entries_only && kind != SPOOR_SLED_ENTRY))
			continue;
		spoor_sled_switch(sled_at(job->text, *word), kind, on);
		stretch_add(written, sled_at(job->text, *word));
	}
	return true;
}

static inline uint64_t changes(const struct job *job, uint32_t word)
{
	return job->patched[word] ^ (job->target ? job->target[word] : 0);
}

/* What was stored is seen by all threads before the next step. */
static inline void publish(uint64_t any, const struct stretch *written)
{
	if (!any)
		return;
	spoor_text_changed(written->low, written->high);
	spoor_patch_synchronise();
}

/* The functions of words [@begin, @end) of the bits. All of a function's sleds change, or none where
 * another's bytes are in one: then it stays as it is until the next choice. Return: how many changed. */
static inline __attribute__((always_inline)) long change_piece(const struct job *job, uint32_t begin, uint32_t end)
{
	struct stretch written = STRETCH_EMPTY, more = STRETCH_EMPTY, switched = STRETCH_EMPTY;
	uint64_t fresh[PIECE], any_new = 0, any_half = 0;
	long changed = 0;

	for (uint32_t word = begin; word < end; word++) {
		uint64_t new = changes(job, word) & ~job->patched[word] & ~job->prepared[word];

		halves[word - begin] = 0;
		job->switchable[word] |= each(job, word, new, prepare, &written);
		job->prepared[word] |= new & ~halves[word - begin];
		fresh[word - begin] = new;
		any_new |= new;
		any_half |= halves[word - begin];
	}
	publish(any_new, &written);
	for (uint32_t word = begin; word < end; word++)
		job->prepared[word] |= each(job, word, halves[word - begin], prepare_more, &more);
	publish(any_half, &more);
	for (uint32_t word = begin; word < end; word++) {
		uint64_t new = fresh[word - begin], others = changes(job, word) & ~new, ours;

		ours = new | each_run(job, word, others, is_ours, NULL);
		ours |= each(job, word, others & ~ours, is_ours, NULL);
		each_run(job, word, ours & ~job->patched[word], switch_heads, &switched);
		each_run(job, word, ours & job->patched[word], switch_heads, &switched);
		job->patched[word] ^= ours;
		changed += __builtin_popcountll(ours & job->switchable[word]);
	}
	spoor_text_changed(switched.low, switched.high);
	return changed;
}

/* The text between the first and the last sled that change; roughly, where they
 * are many: an untouched page in between costs next to nothing. */
static inline struct stretch find_stretch(const struct job *job, uint32_t words)
{
	struct stretch stretch = STRETCH_EMPTY;

	for (uint32_t word = 0; word < words; word++) {
		stretch.changes += (uint64_t)__builtin_popcountll(changes(job, word));
		stretch.fresh += (uint64_t)__builtin_popcountll(changes(job, word) & ~job->prepared[word]);
	}
	if (stretch.changes > FEW || (stretch.changes && job->once)) {
		stretch.low = job->instance->text_low;
		stretch.high = job->instance->text_high + SPOOR_SLED_BYTES;
		return stretch;
	}
	for (uint32_t word = 0; word < words; word++)
		each_run(job, word, changes(job, word), measure, &stretch);
	return stretch;
}

long spoor_patch_apply(struct spoor_instance *instance, const uint64_t *target)
{
	const struct job job = job_of(instance, target);
	uint32_t words = (instance->count + 63) / 64;
	struct stretch stretch = find_stretch(&job, words);
	long changed = 0;
	int error;

	if (stretch.low > stretch.high)
		return 0;
	error = spoor_patch_open_text(instance, stretch.low, stretch.high, stretch.fresh);
	if (error < 0) {
		spoor_patch_close_text(instance, stretch.low, stretch.high);
		return error;
	}
	/* In pieces that are still in the cache when they are switched. */
	for (uint32_t word = 0; word < words; word += PIECE) {
		uint32_t end = words - word < PIECE ? words : word + PIECE;

		/* Where few change, the processor foresees nothing, and one miss after the other would cost
		 * more than all else. */
		for (uint32_t at = word; at < end && stretch.changes < instance->count / FEW_OF; at++)
			each_run(&job, at, changes(&job, at), fetch, NULL);
		changed += change_piece(&job, word, end);
	}
	/* Who comes through a sled that goes back to sleep may be late. */
	instance->text_open |= instance->once;
	if (!instance->text_open)
		spoor_patch_close_text(instance, stretch.low, stretch.high);
	spoor_patch_synchronise();
	return changed;
}
