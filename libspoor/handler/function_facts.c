/* SPDX-License-Identifier: MIT */
/* function_facts.c - compares symbols and line tables with the addresses of functions. */
#include "handler/function_facts.h"

#include <errno.h>
#include <string.h>

#include "elf/function_order.h"
#include "base/memory.h"

/* The index of the first fact whose address is not below @address. */
static uint32_t index_of(const struct spoor_function_facts *facts, uint64_t address)
{
	uint32_t low = 0, high = facts->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (facts->facts[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of several names for one address, the shortest is used, then the first in alphabetical order: so each run uses
 * the same name. */
static bool is_better(const char *name, const char *old)
{
	size_t length = strlen(name), old_length = old ? strlen(old) : SIZE_MAX;

	return length != old_length ? length < old_length : strcmp(name, old) < 0;
}

static void find_names(const struct spoor_function_facts *facts)
{
	struct spoor_elf_symbols symbols;
	const char *name;
	uint64_t address;

	if (spoor_elf_symbols_begin(&symbols, &facts->file) < 0)
		return;
	while ((name = spoor_elf_symbols_next(&symbols, &address))) {
		uint32_t i = index_of(facts, address);

		for (; i < facts->count && facts->facts[i].address == address; i++)
			if (is_better(name, facts->facts[i].linkage_name))
				facts->facts[i].linkage_name = name;
	}
}

static bool has_functions(void *context, uint64_t begin, uint64_t end)
{
	const struct spoor_function_facts *facts = context;
	uint32_t i = index_of(facts, begin);

	return i < facts->count && facts->facts[i].address < end;
}

static void visit_line(void *context, uint64_t begin, uint64_t end, const struct spoor_source_place *place)
{
	const struct spoor_function_facts *facts = context;

	for (uint32_t i = index_of(facts, begin); i < facts->count && facts->facts[i].address < end; i++) {
		if (!facts->facts[i].place.line)
			facts->facts[i].place = *place;
	}
}

static bool is_same_build(const struct spoor_instance *instance, const struct spoor_elf_file *file)
{
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	uint32_t bytes = spoor_elf_file_build_id(file, build_id);

	return bytes == instance->build_id_bytes && memcmp(build_id, instance->build_id, bytes) == 0;
}

int spoor_function_facts_find(const struct spoor_instance *instance, const uint64_t *bits,
			      struct spoor_function_facts *facts)
{
	const struct spoor_source_visitor visitor = { facts, has_functions, visit_line };
	struct spoor_functions functions = spoor_instance_functions(instance);
	struct spoor_function_order order;

	memset(facts, 0, sizeof(*facts));
	for (uint32_t i = 0; i < spoor_instance_words(instance); i++)
		facts->bytes += (size_t)__builtin_popcountll(bits[i]) * sizeof(*facts->facts);
	if (spoor_function_order_make(&order, &functions) < 0)
		return -ENOMEM;
	facts->facts = spoor_memory_map(facts->bytes + 1);
	for (uint32_t i = 0; facts->facts && i < instance->count; i++) {
		uint32_t local = order.sorted[i].index;

		if (bits[local / 64] >> (local % 64) & 1)
			facts->facts[facts->count++] = (struct spoor_function_fact){
				.address = order.sorted[i].address - instance->load_bias,
				.local = local,
			};
	}
	spoor_function_order_free(&order);
	if (!facts->facts)
		return -ENOMEM;
	if (spoor_elf_file_open(&facts->file, instance->path) < 0)
		return 0;
	if (!is_same_build(instance, &facts->file))
		return 0;
	find_names(facts);
	spoor_source_lines(&facts->file, &visitor);
	return 0;
}

void spoor_function_facts_free(struct spoor_function_facts *facts)
{
	spoor_elf_file_close(&facts->file);
	spoor_memory_unmap(facts->facts, facts->bytes + 1);
	memset(facts, 0, sizeof(*facts));
}
