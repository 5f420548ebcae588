/* SPDX-License-Identifier: MIT */
/*
 * sled_index.c - which sleds belong to which function of the table.
 *
 * Linkers lay sled map and table out in the order of the text, so one walk joins them. What
 * is out of order is sorted first. Entries that the table alone tells of come in front of
 * their functions' other sleds.
 */
#include "patch/sled_index.h"

#include <errno.h>
#include <string.h>

#include "module/frame_marks.h"
#include "elf/function_order.h"
#include "module/hooked_modules.h"
#include "base/memory.h"

#define BIT_WORDS(count) (((size_t)(count) + 63) / 64)
#define AHEAD 64	/* sleds; a prefetch beyond the map does nothing */
#define NO_FUNCTION UINT32_MAX

static uintptr_t sled_function(const struct spoor_sled *sled)
{
	return (uintptr_t)&sled->function + (uintptr_t)sled->function;
}

static uintptr_t sled_address(const struct spoor_sled *sled)
{
	return (uintptr_t)&sled->address + (uintptr_t)sled->address;
}

/* Whether function @local has an entry sled that is not in the map, and where. */
static inline bool has_nop_entry(const struct spoor_instance *instance, uint32_t local)
{
	return !instance->hooked && instance->dso->functions_begin[local].position & SPOOR_FUNCTION_NOP_ENTRY;
}

static inline uintptr_t nop_entry(const struct spoor_instance *instance, uint32_t local)
{
	return spoor_function_address(instance, local) +
	       spoor_nop_entry_distance(&instance->dso->functions_begin[local]);
}

/* Lays the instance's arrays out in one piece of memory, with room for an entry of each function that is
 * not among @sleds of the map: to count these costs more. */
static int allocate(struct spoor_instance *instance, uint32_t sleds)
{
	size_t functions = instance->count;
	size_t bits = BIT_WORDS(functions) * 8;
	size_t bytes = spoor_memory_size_now(6 * bits + (2 * functions + 1 + sleds) * 4);
	char *memory = spoor_memory_map_now(bytes);

	if (!memory)
		return -ENOMEM;
	instance->memory_bytes = bytes;
	instance->prepared = (uint64_t *)memory;
	instance->patched = (uint64_t *)(memory + bits);
	instance->wanted = (uint64_t *)(memory + 2 * bits);
	instance->framed = (uint64_t *)(memory + 3 * bits);
	instance->switchable = (uint64_t *)(memory + 4 * bits);
	instance->unused = (uint64_t *)(memory + 5 * bits);
	instance->first_sled = (uint32_t *)(memory + 6 * bits);
	instance->sleds = instance->first_sled + functions + 1;
	return 0;
}

static void measure_add(struct spoor_instance *instance, uintptr_t at)
{
	instance->text_low = at < instance->text_low ? at : instance->text_low;
	instance->text_high = at > instance->text_high ? at : instance->text_high;
}

static void measure(struct spoor_instance *instance, uint32_t sleds)
{
	instance->text_low = UINTPTR_MAX;
	instance->text_high = 0;
	for (uint32_t i = 0; i < sleds; i++)
		measure_add(instance, sled_address(&instance->dso->sleds_begin[i]));
	for (uint32_t i = 0; i < instance->count; i++)
		if (has_nop_entry(instance, i))
			measure_add(instance, nop_entry(instance, i));
}

/* The same for a map and a table that are in order. */
static void measure_ends(struct spoor_instance *instance, uint32_t sleds)
{
	uint32_t first = 0, last = instance->count;

	while (first < last && !has_nop_entry(instance, first))
		first++;
	while (last > first && !has_nop_entry(instance, last - 1))
		last--;
	instance->text_low = UINTPTR_MAX;
	instance->text_high = 0;
	if (sleds) {
		measure_add(instance, sled_address(instance->dso->sleds_begin));
		measure_add(instance, sled_address(&instance->dso->sleds_begin[sleds - 1]));
	}
	if (first < last) {
		measure_add(instance, nop_entry(instance, first));
		measure_add(instance, nop_entry(instance, last - 1));
	}
}

static inline bool is_in_reach(uintptr_t distance)
{
	return !(distance & ~(SPOOR_SLED_WORD_REACH - 2));
}

/* One that stays dormant. */
static uint32_t word_alone(struct spoor_instance *instance, bool known, bool owned, uintptr_t distance)
{
	struct spoor_left_alone *left_alone = &instance->left_alone;

	if (!known)
		left_alone->other_kind++;
	else if (!owned)
		left_alone->no_function++;
	else if (distance % 2)
		left_alone->unexpected_bytes++;
	else
		left_alone->out_of_reach++;
	return SPOOR_SLED_ALONE;
}

/* A sled of the map for the index, if it is not as nearly all are. @owned: its function is in the table. */
static __attribute__((noinline)) uint32_t odd_sled_word(struct spoor_instance *instance, const struct spoor_sled *sled,
							uintptr_t distance, bool owned)
{
	bool known = sled->kind <= SPOOR_SLED_ENTRY_ARGUMENTS;

	/* LLVM tells entries whose arguments are logged apart; for us they are entries. */
	owned &= sled->version == 2;
	if (known && owned && is_in_reach(distance))
		return SPOOR_SLED_WORD(distance, sled->kind == SPOOR_SLED_ENTRY_ARGUMENTS ? SPOOR_SLED_ENTRY : sled->kind);
	return word_alone(instance, known, owned, distance);
}

static inline uint32_t sled_word(struct spoor_instance *instance, const struct spoor_sled *sled, uintptr_t distance)
{
	uint8_t kind = sled->kind;

	if (__builtin_expect(kind <= SPOOR_SLED_TAIL && sled->version == 2 && is_in_reach(distance), true))
		return SPOOR_SLED_WORD(distance, kind);
	return odd_sled_word(instance, sled, distance, true);
}

/* An entry that is not in the map. */
static inline uint32_t entry_word(struct spoor_instance *instance, uintptr_t distance)
{
	if (__builtin_expect(is_in_reach(distance), true))
		return SPOOR_SLED_WORD(distance, SPOOR_SLED_ENTRY);
	return word_alone(instance, true, true, distance);
}

static inline uintptr_t owner_of(const struct spoor_sled *sled, const struct spoor_sled *end)
{
	return sled < end ? sled_function(sled) : UINTPTR_MAX;
}

/* Functions with hooks have no sleds. */
static bool hooked_in_order(const struct spoor_instance *instance)
{
	for (uint32_t local = 1; local < instance->count; local++)
		if (instance->hooked[local] < instance->hooked[local - 1])
			return false;
	return true;
}

/* Joins map and table in one walk. What has another's address, folded by the linker, has another's
 * sleds. Return: false where functions are out of order in either, or sleds in the text: parts of
 * functions may stand elsewhere, or be there twice. */
static __attribute__((noinline)) bool join_in_order(struct spoor_instance *instance)
{
	const struct spoor_sled *sled = instance->dso->sleds_begin, *const end = instance->dso->sleds_end;
	const struct spoor_function *function = instance->dso->functions_begin;
	const struct spoor_function *const functions_end = function + instance->count;
	const uintptr_t text_low = instance->text_low;
	uint32_t *first = instance->first_sled, *const sleds = instance->sleds, *word = sleds;
	uintptr_t owner = owner_of(sled, end);	/* the next sled's function */
	uintptr_t before = 0, last = 0;		/* the last function, and sled */

	for (; function < functions_end; function++) {
		uintptr_t address = (uintptr_t)&function->address + (uintptr_t)function->address;

		if (address < before)
			return false;
		while (owner < address) {
			uintptr_t nobody = owner;

			if (owner < before)
				return false;
			*word++ = odd_sled_word(instance, sled++, 0, false);
			owner = owner_of(sled, end);
			if (owner < nobody)
				return false;
		}
		*first++ = (uint32_t)(word - sleds);
		__builtin_prefetch(sled + AHEAD);
		if (function->position & SPOOR_FUNCTION_NOP_ENTRY && address != before) {
			uintptr_t at = address + spoor_nop_entry_distance(function);

			if (at <= last)
				return false;
			last = at;
			*word++ = entry_word(instance, at - text_low);
		}
		for (; owner == address; owner = owner_of(sled, end)) {
			uintptr_t at = sled_address(sled);

			if (at <= last)
				return false;
			last = at;
			*word++ = sled_word(instance, sled++, at - text_low);
		}
		before = address;
	}
	*first = (uint32_t)(word - sleds);
	for (; sled < end; before = owner, owner = owner_of(++sled, end)) {
		if (owner < before)
			return false;
		odd_sled_word(instance, sled, 0, false);
	}
	return true;
}

/* Joins them by looking each sled's function up: owner[i] is sled i's function. */
static void look_up(struct spoor_instance *instance, uint32_t sleds, const struct spoor_address *sorted,
		    uint32_t *owner)
{
	for (uint32_t i = 0; i < sleds; i++) {
		uintptr_t function = sled_function(&instance->dso->sleds_begin[i]);
		uint32_t at = spoor_addresses_find(sorted, instance->count, function);

		owner[i] = at < instance->count && sorted[at].address == function ? sorted[at].index : NO_FUNCTION;
	}
}

/* Whether the entry of the function at @position is not in the map: of those of one address, the
 * first one's. */
static bool has_own_entry(const struct spoor_instance *instance, const struct spoor_address *sorted, uint32_t position)
{
	return has_nop_entry(instance, sorted[position].index) &&
	       (position == 0 || sorted[position - 1].address != sorted[position].address);
}

/* Counting sort of the sleds by their owners. */
static void group(struct spoor_instance *instance, uint32_t sleds, const struct spoor_address *sorted,
		  const uint32_t *owner)
{
	const struct spoor_sled *map = instance->dso->sleds_begin;
	uint32_t *first = instance->first_sled, before = 0;

	for (uint32_t i = 0; i < sleds; i++) {
		if (owner[i] == NO_FUNCTION)
			odd_sled_word(instance, &map[i], 0, false);
		else
			first[owner[i]]++;
	}
	for (uint32_t i = 0; i < instance->count; i++)
		first[sorted[i].index] += has_own_entry(instance, sorted, i);
	for (uint32_t local = 0; local <= instance->count; local++) {
		before += first[local];
		first[local] = before;
	}
	/* first[] holds each function's end; from behind, it runs down to its begin. */
	for (uint32_t i = sleds; i-- > 0;) {
		if (owner[i] != NO_FUNCTION)
			instance->sleds[--first[owner[i]]] =
				sled_word(instance, &map[i], sled_address(&map[i]) - instance->text_low);
	}
	for (uint32_t i = 0; i < instance->count; i++)
		if (has_own_entry(instance, sorted, i))
			instance->sleds[--first[sorted[i].index]] =
				entry_word(instance, nop_entry(instance, sorted[i].index) - instance->text_low);
}

static int join_out_of_order(struct spoor_instance *instance, uint32_t sleds)
{
	size_t owner_bytes = (size_t)sleds * 4 + 1;
	struct spoor_function_order order;
	uint32_t *owner;
	int error = spoor_function_order_make(&order, instance);

	if (error < 0)
		return error;
	owner = spoor_memory_map(owner_bytes);
	error = owner ? allocate(instance, sleds) : -ENOMEM;
	if (error == 0) {
		measure(instance, sleds);
		look_up(instance, sleds, order.sorted, owner);
		group(instance, sleds, order.sorted, owner);
	}
	spoor_memory_unmap(owner, owner_bytes);
	spoor_function_order_free(&order);
	return error;
}

int spoor_sled_index_build(struct spoor_instance *instance)
{
	uint32_t sleds = (uint32_t)(instance->dso->sleds_end - instance->dso->sleds_begin);

	if (instance->prepared)
		return 0;
	spoor_memory_prefault(instance->dso->sleds_begin, sleds * sizeof(*instance->dso->sleds_begin));
	if (!instance->hooked)
		spoor_memory_prefault(instance->dso->functions_begin,
				      instance->count * sizeof(*instance->dso->functions_begin));
	if (allocate(instance, sleds) < 0)
		return -ENOMEM;
	measure_ends(instance, sleds);
	instance->in_order = instance->hooked ? hooked_in_order(instance) : join_in_order(instance);
	if (!instance->in_order) {
		spoor_sled_index_free(instance);
		if (join_out_of_order(instance, sleds) < 0)
			return -ENOMEM;
	}
	if (instance->hooked)
		spoor_hooked_choose(instance);
	spoor_framed_find(instance);
	return 0;
}

void spoor_sled_index_free(struct spoor_instance *instance)
{
	spoor_memory_unmap(instance->prepared, instance->memory_bytes);
	instance->prepared = instance->patched = instance->wanted = instance->framed = instance->switchable =
		instance->unused = NULL;
	instance->first_sled = instance->sleds = NULL;
	memset(&instance->left_alone, 0, sizeof(instance->left_alone));
}
