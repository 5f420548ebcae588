/* SPDX-License-Identifier: MIT */
/*
 * sled_index.c - finds the sleds of each function in a module's function table.
 *
 * Linkers place the sled map and the table in the order of the text, so one pass over both joins them. If
 * one of them is out of order, it is sorted first. Entry sleds that only the table lists come before the
 * other sleds of their functions.
 */
#include "patch/sled_index.h"

#include <errno.h>
#include <string.h>

#include "base/large.h"
#include "patch/frame_marks.h"
#include "elf/function_order.h"
#include "base/permanent.h"
#include "base/memory.h"

#define BIT_WORDS(count) (((size_t)(count) + 63) / 64)
#define AHEAD 64	/* number of sleds; a prefetch beyond the map is harmless */
#define NO_FUNCTION UINT32_MAX

static uintptr_t sled_function(const struct spoor_sled *sled)
{
	return (uintptr_t)&sled->function + (uintptr_t)sled->function;
}

static uintptr_t sled_address(const struct spoor_sled *sled)
{
	return (uintptr_t)&sled->address + (uintptr_t)sled->address;
}

/* Tells if function @local has an entry sled that the sled map does not list. */
static inline bool has_nop_entry(const struct spoor_sleds *sleds, uint32_t local)
{
	return !sleds->functions.hooked && sleds->functions.dso->functions_begin[local].position & SPOOR_FUNCTION_NOP_ENTRY;
}

/* Address of that sled. */
static inline uintptr_t nop_entry(const struct spoor_sleds *sleds, uint32_t local)
{
	return spoor_function_address(&sleds->functions, local) +
	       spoor_nop_entry_distance(&sleds->functions.dso->functions_begin[local]);
}

/* Allocates all arrays in one block, with room for an entry of each function besides the @sled_count sleds of
 * the map: counting the entries would cost more. */
static int allocate(struct spoor_sleds *sleds, uint32_t sled_count)
{
	size_t functions = sleds->functions.count;
	size_t bits = BIT_WORDS(functions) * 8;
	size_t bytes = spoor_memory_size_now(5 * bits + (2 * functions + 1 + sled_count) * 4);
	char *memory = spoor_memory_map_now(bytes);

	if (!memory)
		return -ENOMEM;
	sleds->memory_bytes = bytes;
	sleds->prepared = (uint64_t *)memory;
	sleds->awake.patched = (uint64_t *)(memory + bits);
	sleds->wanted = (uint64_t *)(memory + 2 * bits);
	sleds->framed = (uint64_t *)(memory + 3 * bits);
	sleds->switchable = (uint64_t *)(memory + 4 * bits);
	sleds->first_sled = (uint32_t *)(memory + 5 * bits);
	sleds->sleds = sleds->first_sled + functions + 1;
	return 0;
}

static void measure_add(struct spoor_sleds *sleds, uintptr_t at)
{
	sleds->text_low = at < sleds->text_low ? at : sleds->text_low;
	sleds->text_high = at > sleds->text_high ? at : sleds->text_high;
}

static void measure(struct spoor_sleds *sleds, uint32_t sled_count)
{
	sleds->text_low = UINTPTR_MAX;
	sleds->text_high = 0;
	for (uint32_t i = 0; i < sled_count; i++)
		measure_add(sleds, sled_address(&sleds->functions.dso->sleds_begin[i]));
	for (uint32_t i = 0; i < sleds->functions.count; i++)
		if (has_nop_entry(sleds, i))
			measure_add(sleds, nop_entry(sleds, i));
}

/* The same for a map and a table that are in order. */
static void measure_ends(struct spoor_sleds *sleds, uint32_t sled_count)
{
	uint32_t first = 0, last = sleds->functions.count;

	while (first < last && !has_nop_entry(sleds, first))
		first++;
	while (last > first && !has_nop_entry(sleds, last - 1))
		last--;
	sleds->text_low = UINTPTR_MAX;
	sleds->text_high = 0;
	if (sled_count) {
		measure_add(sleds, sled_address(sleds->functions.dso->sleds_begin));
		measure_add(sleds, sled_address(&sleds->functions.dso->sleds_begin[sled_count - 1]));
	}
	if (first < last) {
		measure_add(sleds, nop_entry(sleds, first));
		measure_add(sleds, nop_entry(sleds, last - 1));
	}
}

static inline bool is_in_reach(uintptr_t distance)
{
	return !(distance & ~(SPOOR_SLED_WORD_REACH - 2));
}

/* Counts a sled that stays dormant, by reason. Returns its word for the index. */
static uint32_t word_alone(struct spoor_sleds *sleds, bool known, bool owned, uintptr_t distance)
{
	struct spoor_skipped_sleds *skipped_sleds = &sleds->skipped_sleds;

	if (!known)
		skipped_sleds->other_kind++;
	else if (!owned)
		skipped_sleds->no_function++;
	else if (distance % 2)
		skipped_sleds->unexpected_bytes++;
	else
		skipped_sleds->out_of_reach++;
	return SPOOR_SLED_ALONE;
}

/* Returns the word of an unusual sled. @owned: its function is in the table */
static __attribute__((noinline)) uint32_t odd_sled_word(struct spoor_sleds *sleds, const struct spoor_sled *sled,
							uintptr_t distance, bool owned)
{
	bool known = sled->kind <= SPOOR_SLED_ENTRY_ARGUMENTS;

	/* LLVM has a kind for entries that log arguments; spoor treats them as entries. */
	owned &= sled->version == 2;
	if (known && owned && is_in_reach(distance))
		return SPOOR_SLED_WORD(distance, sled->kind == SPOOR_SLED_ENTRY_ARGUMENTS ? SPOOR_SLED_ENTRY : sled->kind);
	return word_alone(sleds, known, owned, distance);
}

static inline uint32_t sled_word(struct spoor_sleds *sleds, const struct spoor_sled *sled, uintptr_t distance)
{
	uint8_t kind = sled->kind;

	if (__builtin_expect(kind <= SPOOR_SLED_TAIL && sled->version == 2 && is_in_reach(distance), true))
		return SPOOR_SLED_WORD(distance, kind);
	return odd_sled_word(sleds, sled, distance, true);
}

/* Returns the word of an entry that the map does not list. */
static inline uint32_t entry_word(struct spoor_sleds *sleds, uintptr_t distance)
{
	if (__builtin_expect(is_in_reach(distance), true))
		return SPOOR_SLED_WORD(distance, SPOOR_SLED_ENTRY);
	return word_alone(sleds, true, true, distance);
}

static inline uintptr_t owner_of(const struct spoor_sled *sled, const struct spoor_sled *end)
{
	return sled < end ? sled_function(sled) : UINTPTR_MAX;
}

/* Tells if a module's hooked functions are sorted. They have no sleds. */
static bool hooked_in_order(const struct spoor_sleds *sleds)
{
	for (uint32_t local = 1; local < sleds->functions.count; local++)
		if (sleds->functions.hooked[local] < sleds->functions.hooked[local - 1])
			return false;
	return true;
}

/* Joins map and table in one pass. Functions with the same address, which the linker merged, share sleds.
 * Returns false if functions are out of order in one of them, or sleds in the text: parts of a function may be
 * elsewhere, or be there twice. Aligned, because the place of its loops within cache lines changes its time. */
static __attribute__((noinline, aligned(64))) bool join_in_order(struct spoor_sleds *sleds)
{
	const struct spoor_sled *sled = sleds->functions.dso->sleds_begin, *const end = sleds->functions.dso->sleds_end;
	const struct spoor_function *function = sleds->functions.dso->functions_begin;
	const struct spoor_function *const functions_end = function + sleds->functions.count;
	const uintptr_t text_low = sleds->text_low;
	uint32_t *first = sleds->first_sled, *const words = sleds->sleds, *word = words;
	uintptr_t owner = owner_of(sled, end);	/* function of the next sled */
	uintptr_t before = 0, last = 0;		/* the last function, and the last sled */

	for (; function < functions_end; function++) {
		uintptr_t address = (uintptr_t)&function->address + (uintptr_t)function->address;

		if (address < before)
			return false;
		while (owner < address) {
			uintptr_t previous = owner;

			if (owner < before)
				return false;
			*word++ = odd_sled_word(sleds, sled++, 0, false);
			owner = owner_of(sled, end);
			if (owner < previous)
				return false;
		}
		*first++ = (uint32_t)(word - words);
		__builtin_prefetch(sled + AHEAD);
		if (function->position & SPOOR_FUNCTION_NOP_ENTRY && address != before) {
			uintptr_t at = address + spoor_nop_entry_distance(function);

			if (at <= last)
				return false;
			last = at;
			*word++ = entry_word(sleds, at - text_low);
		}
		for (; owner == address; owner = owner_of(sled, end)) {
			uintptr_t at = sled_address(sled);

			if (at <= last)
				return false;
			last = at;
			*word++ = sled_word(sleds, sled++, at - text_low);
		}
		before = address;
	}
	*first = (uint32_t)(word - words);
	for (; sled < end; before = owner, owner = owner_of(++sled, end)) {
		if (owner < before)
			return false;
		odd_sled_word(sleds, sled, 0, false);
	}
	return true;
}

/* Finds the function of each sled: owner[i] for sled i. */
static void look_up(struct spoor_sleds *sleds, uint32_t sled_count, const struct spoor_address *sorted,
		    uint32_t *owner)
{
	for (uint32_t i = 0; i < sled_count; i++) {
		uintptr_t function = sled_function(&sleds->functions.dso->sleds_begin[i]);
		uint32_t at = spoor_addresses_find(sorted, sleds->functions.count, function);

		owner[i] = at < sleds->functions.count && sorted[at].address == function ? sorted[at].index : NO_FUNCTION;
	}
}

/* Tells if the map does not list the entry of the function at @position. Of several functions with one address,
 * only the first one has the entry. */
static bool has_own_entry(const struct spoor_sleds *sleds, const struct spoor_address *sorted, uint32_t position)
{
	return has_nop_entry(sleds, sorted[position].index) &&
	       (position == 0 || sorted[position - 1].address != sorted[position].address);
}

/* Sorts the sleds by their functions (counting sort). */
static void group(struct spoor_sleds *sleds, uint32_t sled_count, const struct spoor_address *sorted,
		  const uint32_t *owner)
{
	const struct spoor_sled *map = sleds->functions.dso->sleds_begin;
	uint32_t *first = sleds->first_sled, before = 0;

	for (uint32_t i = 0; i < sled_count; i++) {
		if (owner[i] == NO_FUNCTION)
			odd_sled_word(sleds, &map[i], 0, false);
		else
			first[owner[i]]++;
	}
	for (uint32_t i = 0; i < sleds->functions.count; i++)
		first[sorted[i].index] += has_own_entry(sleds, sorted, i);
	for (uint32_t local = 0; local <= sleds->functions.count; local++) {
		before += first[local];
		first[local] = before;
	}
	/* first[] holds each function's end. Going backwards, it decreases to the function's begin. */
	for (uint32_t i = sled_count; i-- > 0;) {
		if (owner[i] != NO_FUNCTION)
			sleds->sleds[--first[owner[i]]] =
				sled_word(sleds, &map[i], sled_address(&map[i]) - sleds->text_low);
	}
	for (uint32_t i = 0; i < sleds->functions.count; i++)
		if (has_own_entry(sleds, sorted, i))
			sleds->sleds[--first[sorted[i].index]] =
				entry_word(sleds, nop_entry(sleds, sorted[i].index) - sleds->text_low);
}

static int join_out_of_order(struct spoor_sleds *sleds, uint32_t sled_count)
{
	size_t owner_bytes = (size_t)sled_count * 4 + 1;
	struct spoor_function_order order;
	uint32_t *owner;
	int error = spoor_function_order_make(&order, &sleds->functions);

	if (error < 0)
		return error;
	owner = spoor_memory_map(owner_bytes);
	error = owner ? allocate(sleds, sled_count) : -ENOMEM;
	if (error == 0) {
		measure(sleds, sled_count);
		look_up(sleds, sled_count, order.sorted, owner);
		group(sleds, sled_count, order.sorted, owner);
	}
	spoor_memory_unmap(owner, owner_bytes);
	spoor_function_order_free(&order);
	return error;
}

int spoor_sled_index_build(struct spoor_sleds *sleds)
{
	uint32_t sled_count = (uint32_t)(sleds->functions.dso->sleds_end - sleds->functions.dso->sleds_begin);

	if (sleds->prepared)
		return 0;
	spoor_memory_prefault(sleds->functions.dso->sleds_begin, sled_count * sizeof(*sleds->functions.dso->sleds_begin));
	if (!sleds->functions.hooked)
		spoor_memory_prefault(sleds->functions.dso->functions_begin,
				      sleds->functions.count * sizeof(*sleds->functions.dso->functions_begin));
	if (allocate(sleds, sled_count) < 0)
		return -ENOMEM;
	measure_ends(sleds, sled_count);
	sleds->in_order = sleds->functions.hooked ? hooked_in_order(sleds) : join_in_order(sleds);
	if (!sleds->in_order) {
		spoor_sled_index_free(sleds);
		if (join_out_of_order(sleds, sled_count) < 0)
			return -ENOMEM;
	}
	sleds->enabled = 0;
	sleds->text_open = false;
	spoor_frame_marks_find(sleds);
	return 0;
}

void spoor_sled_index_free(struct spoor_sleds *sleds)
{
	spoor_memory_unmap(sleds->prepared, sleds->memory_bytes);
	sleds->prepared = sleds->awake.patched = sleds->wanted = sleds->framed = sleds->switchable = NULL;
	sleds->first_sled = sleds->sleds = NULL;
	memset(&sleds->skipped_sleds, 0, sizeof(sleds->skipped_sleds));
}

static struct spoor_sleds *table[SPOOR_MODULES_MAX] SPOOR_LARGE;	/* by position of the module */

struct spoor_sleds *spoor_sleds_at(uint32_t position)
{
	struct spoor_sleds *sleds = table[position];

	return sleds && sleds->prepared ? sleds : NULL;
}

struct spoor_sleds *spoor_sleds_make(uint32_t position)
{
	if (!table[position])
		table[position] = spoor_permanent_alloc(sizeof(*table[position]));
	return table[position];
}

int spoor_sleds_index(uint32_t position, const struct spoor_functions *functions)
{
	struct spoor_sleds *sleds = spoor_sleds_make(position);

	if (!sleds)
		return -ENOMEM;
	if (sleds->prepared)
		return 0;
	sleds->functions = *functions;
	return spoor_sled_index_build(sleds);
}

void spoor_sleds_forget(uint32_t position)
{
	if (table[position])
		spoor_sled_index_free(table[position]);
}
