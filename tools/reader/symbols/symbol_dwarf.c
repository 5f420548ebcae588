/* SPDX-License-Identifier: MIT */
/* symbol_dwarf.c - reads names of functions from debug information with libdw. */
#include "reader/symbols/symbol_dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "reader/symbols/dwarf_entries.h"
#include "reader/symbols/symbol_functions.h"

#define DEPTH_MAX 200u		/* nesting of entries; deeper ones are ignored */

enum { RANK_NONE, RANK_LOCAL, RANK_GLOBAL };

struct naming {
	struct symbol_file *file;
	struct function_address *wanted;	/* sorted by address */
	uint8_t *ranks;				/* of their names */
	uint32_t count;
};

const char *symbol_dwarf_missing(void)
{
	return NULL;
}

static uint32_t first_from(const struct naming *naming, uint64_t address)
{
	return function_addresses_from(naming->wanted, naming->count, address);
}

/* Returns the linkage name, or, if there is none as in C, the name. */
static const char *subprogram_name(Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		Dwarf_Attribute attribute;
		const char *name = dwarf_formstring(dwarf_attr_integrate(die, names[i], &attribute));

		if (name && *name)
			return name;
	}
	return NULL;
}

static void take(struct naming *naming, Dwarf_Die *die)
{
	struct symbol_file *file = naming->file;
	Dwarf_Attribute attribute;
	bool is_external = false;
	const char *name;
	uint8_t rank;
	uint64_t entry;
	uint32_t i;

	if (!dwarf_subprogram_entry(die, &entry))
		return;
	i = first_from(naming, entry);
	if (i == naming->count || naming->wanted[i].address != entry)
		return;
	name = subprogram_name(die);
	if (!name)
		return;
	if (dwarf_formflag(dwarf_attr_integrate(die, DW_AT_external, &attribute), &is_external) != 0)
		is_external = false;
	rank = is_external ? RANK_GLOBAL : RANK_LOCAL;
	for (; i < naming->count && naming->wanted[i].address == entry; i++) {
		uint32_t local = naming->wanted[i].local;
		char *copy;

		if (naming->ranks[i] && !linkage_is_better(rank, name, naming->ranks[i], file->linkage[local]))
			continue;
		copy = strdup(name);
		if (!copy)
			return;
		if (file->linkage_kept[local])
			free((char *)file->linkage[local]);
		file->linkage[local] = copy;
		file->linkage_kept[local] = file->named_apart[local] = true;
		naming->ranks[i] = rank;
	}
}

static void walk(struct naming *naming, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die, next;
	int more = depth < DEPTH_MAX ? dwarf_child(parent, &die) : 1;

	while (more == 0) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			take(naming, &die);
		if (dwarf_may_hold_functions(tag))
			walk(naming, &die, depth + 1);
		more = dwarf_siblingof(&die, &next);
		/* In a damaged file, an entry may lead back. */
		if (more == 0 && (const char *)next.addr <= (const char *)die.addr)
			return;
		die = next;
	}
}

/* Returns whether a function without a name lies in the unit. */
static bool is_wanted(const struct naming *naming, Dwarf_Die *unit)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0) {
		uint32_t i = first_from(naming, begin);

		if (i < naming->count && naming->wanted[i].address < end)
			return true;
	}
	return false;
}

static const char *name_all(struct naming *naming, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	bool is_whole = true;
	uint8_t type;
	int more;

	while ((more = dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split)) == 0) {
		if (!die.addr || !is_wanted(naming, &die))
			continue;
		walk(naming, &die, 0);
		if (split.addr)
			walk(naming, &split, 0);
		else
			is_whole &= type != DW_UT_skeleton;
	}
	if (more < 0)
		return dwarf_errmsg(-1);
	return is_whole ? NULL : "a .dwo file is missing, or belongs to another build";
}

/* Returns whether there is information that could name a function, and not only line tables. */
static bool has_information(Elf *elf, GElf_Shdr *header)
{
	return elf_find_section(elf, ".debug_info", 0, header) && header->sh_type != SHT_NOBITS;
}

static const char *why_unread(const GElf_Shdr *header)
{
	return header->sh_flags & SHF_COMPRESSED ? "it is damaged, or this libdw does not support its compression" :
						  dwarf_errmsg(-1);
}

static bool begin(struct naming *naming)
{
	struct symbol_file *file = naming->file;

	naming->wanted = malloc(((size_t)file->count + 1) * sizeof(*naming->wanted));
	naming->ranks = calloc(file->count + 1, 1);
	if (!naming->wanted || !naming->ranks)
		return false;
	for (uint32_t i = 0; i < file->count; i++)
		if (symbol_is_nameless(file, file->addresses[i].local))
			naming->wanted[naming->count++] = file->addresses[i];
	return naming->count;
}

static const char *name_by(struct naming *naming, Elf *elf)
{
	Dwarf *dwarf, *shared = NULL;
	int shared_fd = -1;
	const char *wrong;
	GElf_Shdr header;

	if (!has_information(elf, &header))
		return NULL;
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!dwarf)
		return why_unread(&header);
	wrong = dwarf_find_shared(dwarf, &shared, &shared_fd);
	if (!wrong)
		wrong = name_all(naming, dwarf);
	dwarf_end(dwarf);
	dwarf_end(shared);
	if (shared_fd >= 0)
		close(shared_fd);
	return wrong;
}

void symbol_dwarf_name(struct symbol_file *file, const char *path)
{
	struct naming naming = { .file = file };
	int fd = begin(&naming) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	/* Mapped, because debug information is large and little of it is read. */
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const char *wrong = NULL;

	/* The file may have been replaced since it was found. */
	if (!elf_unreadable(elf) && elf_compare_build_id(file, elf) != 0)
		wrong = name_by(&naming, elf);
	if (wrong)
		message("%s: its debug information does not name all functions: %s", path, wrong);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	free(naming.wanted);
	free(naming.ranks);
}
