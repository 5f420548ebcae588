/* SPDX-License-Identifier: MIT */
/* build_symbols.c - finds the functions of an order in an ELF file, and counts their pages. */
#include "order/build_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/symbols/symbol_functions.h"

#define ALIGNMENT 16u	/* bytes, of a function */

struct symbol {
	const char *name;	/* in the ELF file; @length excludes the suffix of link-time optimisation */
	size_t length;
	uint64_t address, size;
	bool taken;		/* a function of the order has it */
};

struct symbols {
	struct symbol *list;
	size_t count;
};

static int compare_names(const struct symbol *a, const struct symbol *b)
{
	int difference = memcmp(a->name, b->name, a->length < b->length ? a->length : b->length);

	return difference ? difference : (a->length > b->length) - (a->length < b->length);
}

static int compare_symbols(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;
	int names = compare_names(a, b);

	return names ? names : (a->address > b->address) - (a->address < b->address);
}

static int compare_extents(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->size < b->size) - (a->size > b->size);
}

static bool copy_symbols(struct symbols *symbols, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

	symbols->list = calloc(count + 1, sizeof(*symbols->list));
	for (size_t i = 0; symbols->list && i < count && i <= INT32_MAX; i++) {
		struct symbol *symbol = &symbols->list[symbols->count];
		GElf_Sym entry;
		int type;

		if (!gelf_getsym(data, (int)i, &entry) || entry.st_shndx == SHN_UNDEF)
			continue;
		type = GELF_ST_TYPE(entry.st_info);
		symbol->name = elf_strptr(elf, header->sh_link, entry.st_name);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || !symbol->name || !*symbol->name)
			continue;
		symbol->length = order_name_length(symbol->name);
		symbol->address = entry.st_value;
		symbol->size = entry.st_size ? entry.st_size : 1;
		symbols->count++;
	}
	return symbols->list != NULL;
}

static const char *read_symbols(struct symbols *symbols, Elf *elf)
{
	const char *wrong = elf_unreadable(elf);
	GElf_Shdr header;
	Elf_Scn *section;

	if (wrong)
		return wrong;
	section = elf_find_section(elf, NULL, SHT_SYMTAB, &header);
	if (!section)
		section = elf_find_section(elf, NULL, SHT_DYNSYM, &header);
	if (!section)
		return "has no symbol table";
	if (!copy_symbols(symbols, elf, section, &header))
		return "out of memory for its symbols";
	qsort(symbols->list, symbols->count, sizeof(*symbols->list), compare_symbols);
	return NULL;
}

/* Returns the first symbol of a name, or NULL. @count: set to the number of addresses with that name. */
static struct symbol *find_symbol(const struct symbols *symbols, const char *name, size_t *count)
{
	const struct symbol wanted = { .name = name, .length = order_name_length(name) };
	size_t low = 0, high = symbols->count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_names(&symbols->list[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	for (end = low; end < symbols->count && compare_names(&symbols->list[end], &wanted) == 0; end++)
		*count += end == low || symbols->list[end].address != symbols->list[end - 1].address;
	return *count ? &symbols->list[low] : NULL;
}

/*
 * Collects the code of the order's functions. @extents has room for all symbols. Static functions that
 * link-time optimisation numbered have one name here, so each of them finds all.
 *
 * Returns the number of extents.
 */
static size_t collect_extents(struct symbols *symbols, const struct order *order, uint32_t begin, uint32_t end,
		      struct symbol *extents, struct order_effect *effect)
{
	size_t extent_count = 0;

	for (uint32_t i = begin; i < end; i++) {
		const char *name = order->names.list[order->list[i].name].function;
		size_t count;
		struct symbol *symbol = find_symbol(symbols, name, &count);

		effect->named++;
		effect->missing += !symbol;
		effect->shared += count > 1;
		for (struct symbol *at = symbol; at && count; at++) {
			if (at != symbol && at->address == at[-1].address)
				continue;
			if (!at->taken)
				extents[extent_count++] = *at;
			at->taken = true;
			count--;
		}
	}
	return extent_count;
}

static void count_pages(struct symbol *extents, size_t count, struct order_effect *effect)
{
	uint64_t next_page = 0, ordered = 0, least = 0;

	qsort(extents, count, sizeof(*extents), compare_extents);
	for (size_t i = 0; i < count; i++) {
		uint64_t first = extents[i].address / ORDER_PAGE_BYTES;
		uint64_t last = (extents[i].address + extents[i].size - 1) / ORDER_PAGE_BYTES;

		if (i && extents[i].address == extents[i - 1].address) {
			effect->folded++;
			continue;
		}
		ordered = (ordered + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + extents[i].size;
		least += extents[i].size;
		if (first < next_page)
			first = next_page;
		if (last >= first) {
			effect->pages_now += last - first + 1;
			next_page = last + 1;
		}
	}
	effect->pages_ordered = (ordered + ORDER_PAGE_BYTES - 1) / ORDER_PAGE_BYTES;
	effect->pages_least = (least + ORDER_PAGE_BYTES - 1) / ORDER_PAGE_BYTES;
}

const char *order_build_effect(const char *path, const struct order *order, uint32_t begin, uint32_t end,
			       struct order_effect *effect)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct symbols symbols = { 0 };
	struct symbol *extents;
	const char *wrong;
	Elf *elf;

	*effect = (struct order_effect){ 0 };
	if (fd < 0)
		return strerror(errno);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	wrong = read_symbols(&symbols, elf);
	extents = wrong ? NULL : calloc(symbols.count + 1, sizeof(*extents));
	if (extents)
		count_pages(extents, collect_extents(&symbols, order, begin, end, extents, effect), effect);
	else if (!wrong)
		wrong = "out of memory for its symbols";
	free(extents);
	free(symbols.list);
	elf_end(elf);
	close(fd);
	return wrong;
}
