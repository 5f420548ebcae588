/* SPDX-License-Identifier: MIT */
/* choice.c - matches names of modules and functions against pattern lists. */
#define _GNU_SOURCE
#include "module/choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/large.h"
#include "text/demangled.h"
#include "elf/function_order.h"
#include "base/memory.h"
#include "base/warning.h"
#include "text/pattern.h"
#include "config/configuration.h"
#include "text/source_name.h"

/* The configuration's patterns that matched so far, one bit each. */
static struct noted {
	uint64_t modules, functions;
	bool functions_searched;
} matched, matched_before;

bool spoor_choice_module(const struct spoor_instance *instance, const char *modules)
{
	const char *file = strrchr(instance->path, '/'), *rest = modules, *glob, *end;
	bool chosen, excludes;

	file = file ? file + 1 : instance->path;
	if (spoor_patterns_are_all(modules))
		return true;
	chosen = *modules == '-';
	for (uint64_t bit = 1; spoor_patterns_next(&rest, &glob, &end, &excludes); bit <<= 1) {
		bool matches = memchr(glob, '/', (size_t)(end - glob))
			       ? spoor_glob_matches(glob, end, instance->path)
			       : spoor_glob_matches(glob, end, instance->soname) ||
				 spoor_glob_matches(glob, end, file);

		if (!matches)
			continue;
		chosen = !excludes;
		if (strcmp(modules, spoor_configuration.modules) == 0)
			matched.modules |= bit;
	}
	return chosen;
}

struct glob {
	struct spoor_glob glob;
	bool excludes;
};

/* The maximum of symbols in a batch. Symbols come unordered; a batch is sorted, then looked up in the function
 * table. */
#define HITS 4096

struct hit {
	uint64_t matched;	/* one bit for each glob */
	bool chosen;
};

/* Working memory, too large for the stacks of the program's threads. */
struct scratch {
	struct spoor_text texts[3];
	struct spoor_address addresses[2][HITS];	/* of the hits, with their index in hits[]; the second
							 * array is for the sort */
	struct hit hits[HITS];
	/* The first and last characters of names that a glob can match. */
	bool begins[256], ends[256];
	struct glob globs[];
};

struct search {
	struct spoor_functions functions;
	const struct spoor_address *sorted;	/* by address; null if the function table is sorted */
	struct scratch *scratch;
	uint32_t count;		/* of globs */
	uint32_t hit_count;
	bool configured;	/* the patterns are the configuration's */
	uint64_t *chosen;	/* by local ID */
};

static void add_character(bool characters[256], bool known, const char *at)
{
	if (known)
		characters[(uint8_t)*at] = true;
	else
		memset(characters, true, 256);
}

static void add_glob(struct search *search, const struct glob *glob)
{
	struct scratch *scratch = search->scratch;
	bool has_tail = glob->glob.has_star ? glob->glob.tail : glob->glob.head;
	/* If the list starts with '-', names without a match are chosen, so every name has to be matched. */
	bool first_excludes = scratch->globs[0].excludes;

	add_character(scratch->begins, glob->glob.is_ends && glob->glob.head && !first_excludes, glob->glob.begin);
	add_character(scratch->ends, glob->glob.is_ends && has_tail && !first_excludes, glob->glob.end - 1);
	search->count++;
}

static uint64_t address_at(const struct search *search, uint32_t place)
{
	return search->sorted ? search->sorted[place].address
			      : spoor_function_address(&search->functions, place);
}

/* The first place, from @low on, whose address is not below @address. The search expects the place near @low. */
static uint32_t place_from(const struct search *search, uint32_t low, uint64_t address)
{
	uint32_t high = search->functions.count, step = 8;

	for (; high - low > step && address_at(search, low + step) < address; step *= 2)
		low += step + 1;
	high = high - low > step ? low + step : high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (address_at(search, middle) < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Sets the bits of the hits whose symbols are functions of the table. */
static void enter_hits(struct search *search)
{
	struct spoor_address (*halves)[HITS] = search->scratch->addresses;
	const struct spoor_address *hits = spoor_addresses_sort(halves[0], halves[1], search->hit_count);
	uint32_t count = search->functions.count, place = 0;

	for (uint32_t i = 0; i < search->hit_count; i++) {
		const struct hit *hit = &search->scratch->hits[hits[i].index];
		uint64_t address = hits[i].address;

		place = place_from(search, place, address);
		if (place == count)
			break;
		if (address_at(search, place) != address)
			continue;
		matched.functions |= hit->matched;
		/* If a linker folded identical functions into one, all of their entries have the same address, and
		 * one of them has the sleds. */
		for (uint32_t at = place; hit->chosen && at < count && address_at(search, at) == address; at++) {
			uint32_t local = search->sorted ? search->sorted[at].index : at;

			search->chosen[local / 64] |= 1ull << (local % 64);
		}
	}
	search->hit_count = 0;
}

/* Collects the names of a function: @linkage, its form before link-time optimisation, and the demangled forms.
 * Returns their number. */
static int names_of(const char *linkage, size_t linkage_length, const char *names[4], size_t lengths[4],
		    struct spoor_text texts[3])
{
	const char *source = linkage;
	int count = 0;
	size_t length = memchr(linkage, '.', linkage_length) ? spoor_source_name_length(linkage) : 0;

	names[count] = linkage;
	lengths[count++] = linkage_length;
	if (length && linkage[length] && length < sizeof(texts[0].bytes)) {
		texts[0].used = 0;
		spoor_text_add(linkage, length, &texts[0]);
		lengths[count] = length;
		names[count++] = source = texts[0].bytes;
	}
	/* The short demangled form exists only if the long one does. */
	for (int i = 0; i < 2 && spoor_may_be_mangled(source); i++) {
		names[count] = spoor_demangle(source, i == 0, &texts[1 + i]);
		if (!names[count])
			break;
		lengths[count] = spoor_demangled_name_length(names[count]);
		count++;
	}
	return count;
}

/* The last glob that matches decides. Only for the configuration's patterns, all matching globs are noted. */
static bool choose_names(const struct search *search, const char *const *names, const size_t *lengths, int count,
			 uint64_t *matched)
{
	bool decided = false, chosen = search->scratch->globs[0].excludes;

	for (uint32_t i = search->count; i-- > 0;) {
		const struct glob *glob = &search->scratch->globs[i];
		bool matches = false;

		for (int n = 0; n < count && !matches; n++)
			matches = spoor_glob_takes(&glob->glob, names[n], lengths[n]);
		if (!matches)
			continue;
		if (!decided)
			chosen = !glob->excludes;
		decided = true;
		if (!search->configured)
			break;
		*matched |= i < 64 ? 1ull << i : 0;
	}
	return chosen;
}

static __attribute__((noinline)) void match_symbol(struct search *search, uint64_t address, const char *name,
						   size_t length)
{
	const char *names[4];
	size_t lengths[4];
	struct hit hit = { .matched = 0 };
	uint32_t i = search->hit_count;
	int count = names_of(name, length, names, lengths, search->scratch->texts);

	hit.chosen = choose_names(search, names, lengths, count, &hit.matched);
	if (!hit.chosen && !(hit.matched & ~matched.functions))
		return;
	search->scratch->hits[i] = hit;
	search->scratch->addresses[0][i] = (struct spoor_address){ address + search->functions.load_bias, i };
	search->hit_count++;
	if (search->hit_count == HITS)
		enter_hits(search);
}

/* Skips most symbols early: a name in C has one form, perhaps with a suffix after a dot, and no glob matches its
 * first or last character. */
static inline void filter_symbol(struct search *search, uint64_t address, const char *name)
{
	const struct scratch *scratch = search->scratch;
	bool mangled = spoor_may_be_mangled(name);
	const char *end;

	if (!scratch->begins[(uint8_t)*name] && !mangled)
		return;
	end = strchrnul(name, '.');
	if (*end)
		match_symbol(search, address, name, (size_t)(end - name) + strlen(end));
	else if (scratch->ends[(uint8_t)end[-1]] || mangled)
		match_symbol(search, address, name, (size_t)(end - name));
}

static int names_search(struct spoor_instance *instance, struct search *search)
{
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	struct spoor_elf_symbols symbols;
	struct spoor_elf_file file;
	const char *name;
	uint64_t address;
	uint32_t bytes;
	int error;

	error = spoor_elf_file_open(&file, instance->path);
	if (error < 0)
		return -ENOENT;
	bytes = spoor_elf_file_build_id(&file, build_id);
	if (bytes != instance->build_id_bytes || memcmp(build_id, instance->build_id, bytes) != 0)
		error = -ENOENT;
	else
		error = spoor_elf_symbols_begin(&symbols, &file);
	if (error == 0)
		while ((name = spoor_elf_symbols_next(&symbols, &address)))
			filter_symbol(search, address, name);
	enter_hits(search);
	spoor_elf_file_close(&file);
	return error;
}

/* Looks up every name of the module's file. Returns 0, or a negative errno. */
static int look_up(struct spoor_instance *instance, const char *functions, uint64_t *chosen)
{
	/* A pattern has at least one character and a comma. */
	size_t scratch_bytes = sizeof(struct scratch) + (strlen(functions) / 2 + 1) * sizeof(struct glob);
	const struct spoor_sleds *sleds = spoor_sleds_at(instance->position);
	struct spoor_function_order order = { .sorted = NULL };
	struct scratch *scratch = spoor_memory_map(scratch_bytes);
	struct glob *glob;
	struct search search = {
		.functions = spoor_instance_functions(instance),
		.scratch = scratch,
		.configured = strcmp(functions, spoor_configuration.functions) == 0,
		.chosen = chosen,
	};
	const char *rest = functions;
	int error;

	if (!scratch)
		return -ENOMEM;
	glob = scratch->globs;
	for (; spoor_patterns_next(&rest, &glob->glob.begin, &glob->glob.end, &glob->excludes); glob++) {
		spoor_glob_prepare(&glob->glob);
		add_glob(&search, glob);
	}
	error = sleds && sleds->in_order ? 0 : spoor_function_order_make(&order, &search.functions);
	if (error == 0) {
		search.sorted = order.sorted;
		error = names_search(instance, &search);
		matched.functions_searched |= error == 0 && search.configured;
		spoor_function_order_free(&order);
	}
	spoor_memory_unmap(scratch, scratch_bytes);
	return error;
}

/* The functions of a module that a pattern list chose. It is kept for a program that switches the same functions
 * on and off, so that their names are looked up once. One block of memory. */
struct choice {
	size_t bytes;
	const char *functions;	/* the pattern list, stored after the bits */
	uint64_t bits[];	/* by local ID */
};

static struct choice *cached_choices[SPOOR_MODULES_MAX] SPOOR_LARGE;	/* by the module's position in the registry */

void spoor_choice_forget(struct spoor_instance *instance)
{
	struct choice *choice = cached_choices[instance->position];

	if (!choice)
		return;
	spoor_memory_unmap(choice, choice->bytes);
	cached_choices[instance->position] = NULL;
}

/* Makes @functions the module's cached choice. */
static int update_cached_choice(struct spoor_instance *instance, const char *functions)
{
	size_t bits_bytes = spoor_instance_words(instance) * sizeof(uint64_t);
	size_t bytes = sizeof(struct choice) + bits_bytes + strlen(functions) + 1;
	struct choice *choice = cached_choices[instance->position];
	int error;

	if (choice && strcmp(choice->functions, functions) == 0)
		return 0;
	choice = spoor_memory_map(bytes);
	if (!choice)
		return -ENOMEM;
	error = look_up(instance, functions, choice->bits);
	if (error < 0) {
		spoor_memory_unmap(choice, bytes);
		return error;
	}
	spoor_choice_forget(instance);
	choice->bytes = bytes;
	choice->functions = strcpy((char *)choice->bits + bits_bytes, functions);
	cached_choices[instance->position] = choice;
	return 0;
}

long spoor_choice_functions(struct spoor_instance *instance, const char *functions, uint64_t *bits, bool on)
{
	uint32_t words = spoor_instance_words(instance);
	long result = 0;
	int error;

	if (spoor_patterns_are_all(functions)) {
		memset(bits, on ? 0xff : 0, (size_t)words * 8);
		if (on && instance->count % 64)
			bits[words - 1] = (1ull << (instance->count % 64)) - 1;
		return instance->count;
	}
	error = update_cached_choice(instance, functions);
	for (uint32_t i = 0; i < words && error == 0; i++) {
		uint64_t chosen = cached_choices[instance->position]->bits[i];

		result += __builtin_popcountll(chosen);
		bits[i] = on ? bits[i] | chosen : bits[i] & ~chosen;
	}
	return error < 0 ? error : result;
}

/* Prints the patterns without a bit in @noted. */
static void print_unmatched(const char *key, const char *patterns, uint64_t noted, const char *what,
			    const char *where)
{
	char list[400];

	if (spoor_patterns_unmatched(patterns, noted, list, sizeof(list)))
		spoor_warning("SPOOR_RUNTIME_%s: no %s matches %s%s", key, what, list, where);
}

void spoor_choice_note_anew(void)
{
	matched_before = matched;
	matched = (struct noted){ 0 };
}

void spoor_choice_note_on(void)
{
	matched = matched_before;
}

void spoor_choice_unmatched(const char *where)
{
	const char *modules = spoor_configuration.modules, *functions = spoor_configuration.functions;

	if (!spoor_patterns_are_all(modules))
		print_unmatched("MODULES", modules, matched.modules, "library with sleds", where);
	if (matched.functions_searched)
		print_unmatched("FUNCTIONS", functions, matched.functions, "traced function", where);
}
