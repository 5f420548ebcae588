/* SPDX-License-Identifier: MIT */
/*
 * symbol_load.c - reads the names of functions from an ELF file.
 *
 * About 30 ns for each symbol and function: it looks up each symbol among the functions' addresses,
 * not the other way round.
 */
#include "reader/symbols/symbol_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "reader/symbols/debug_files.h"
#include "reader/symbols/symbol_dwarf.h"
#include "reader/packed/elf_compression.h"
#include "reader/symbols/symbol_functions.h"
#include "reader/packed/symbol_subset.h"
#include "reader/symbols/unit_symbols.h"

/* Returns how good a name for a function the symbol is; 0: unusable. */
static int symbol_rank(const GElf_Sym *symbol, const char *name)
{
	int type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);
	int rank = binding == STB_GLOBAL ? 3 : binding == STB_WEAK ? 2 : 1;

	if (symbol->st_shndx == SHN_UNDEF || !name || !*name || *name == '$')
		return 0;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return rank + 3;
	return type == STT_NOTYPE ? rank : 0;
}

bool linkage_is_better(int rank, const char *name, int old_rank, const char *old)
{
	if (rank != old_rank)
		return rank > old_rank;
	size_t length = strlen(name), old_length = strlen(old);

	return length != old_length ? length < old_length : strcmp(name, old) < 0;
}

/* @apart: @elf is the debug file */
static void load_symbols(struct symbol_file *file, Elf *elf, GElf_Word type, bool apart)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(elf, NULL, type, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	uint8_t *ranks;
	size_t count;

	if (!data || !header.sh_entsize)
		return;
	ranks = calloc(file->count + 1, 1);
	if (!ranks)
		return;
	count = data->d_size / header.sh_entsize;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		GElf_Sym symbol;
		uint32_t low;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		low = function_addresses_from(file->addresses, file->count, symbol.st_value);
		if (low == file->count || file->addresses[low].address != symbol.st_value)
			continue;

		const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
		int rank = symbol_rank(&symbol, name);

		for (; rank && low < file->count && file->addresses[low].address == symbol.st_value; low++) {
			uint32_t local = file->addresses[low].local;

			/* A name without a rank came from the other symbol table, which is read first. */
			if (file->linkage[local] &&
			    (!ranks[local] || !linkage_is_better(rank, name, ranks[local], file->linkage[local])))
				continue;
			file->linkage[local] = name;
			file->named_apart[local] = apart;
			ranks[local] = (uint8_t)rank;
		}
	}
	free(ranks);
}

/* Copies the names found so far, because they belong to the ELF file. */
static void keep_linkage(struct symbol_file *file)
{
	for (uint32_t i = 0; i < file->count; i++) {
		if (!file->linkage[i] || file->linkage_kept[i])
			continue;
		file->linkage[i] = strdup(file->linkage[i]);
		file->linkage_kept[i] = file->linkage[i] != NULL;
	}
}

/* Returns whether a symbol names a copy or a part of a function: "name.specialized.1". */
static bool is_copy_or_part(const char *symbol, const char *name)
{
	size_t length = strlen(name);

	return symbol && strncmp(symbol, name, length) == 0 && symbol[length] == '.';
}

/*
 * Prefers the names from the pass, which are those in the source. The symbols of functions that were
 * folded into one are interchangeable, and the symbol of a function local to its unit may have been
 * renamed.
 */
static void name_by_description(struct symbol_file *file)
{
	for (uint32_t i = 0; i < file->count; i++) {
		const struct unit_symbol *symbol = symbol_file_has(file, i) ? symbol_file_described(file, i) : NULL;
		const char *name = symbol ? unit_symbol_text(symbol->info->linkage_name) : "";
		char *copy;

		if (!*name || is_copy_or_part(file->linkage[i], name))
			continue;
		copy = strdup(name);
		if (!copy)
			return;
		if (file->linkage_kept[i])
			free((char *)file->linkage[i]);
		file->linkage[i] = copy;
		file->linkage_kept[i] = true;
	}
}

Elf *symbol_debug_open(struct symbol_file *file, bool ask, int *fd)
{
	const char *path = debug_files_find(file, ask);
	Elf *elf;

	*fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	elf = *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ, NULL);
	/* The file may have been replaced since it was found. */
	if (elf && elf_compare_build_id(file, elf) != 0)
		return elf;
	elf_end(elf);
	return NULL;
}

bool symbol_is_nameless(struct symbol_file *file, uint32_t local)
{
	const struct unit_symbol *symbol;

	if (!symbol_file_has(file, local))
		return false;
	symbol = symbol_file_described(file, local);
	return !file->linkage[local] && !(symbol && *unit_symbol_text(symbol->info->linkage_name));
}

static bool has_nameless(struct symbol_file *file)
{
	for (uint32_t i = 0; i < file->count && !file->by_symbol; i++)
		if (symbol_is_nameless(file, i))
			return true;
	return false;
}

/* The names of a stripped file may be in its debug file. */
static void load_debug_file(struct symbol_file *file, bool ask)
{
	int fd;
	Elf *elf = symbol_debug_open(file, ask, &fd);

	if (elf) {
		load_symbols(file, elf, SHT_SYMTAB, true);
		keep_linkage(file);
		if (!file->described->count)
			unit_symbols_add_elf(file->described, elf);
		unit_symbols_sort(file->described);
		symbol_dwarf_name(file, file->debug_path);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

static const char *load(struct symbol_file *file, Elf *elf)
{
	const char *wrong = elf_unreadable(elf);
	GElf_Shdr header;
	bool has_table;

	file->fault = "missing";
	if (wrong)
		return wrong;
	if (file->build_id_bytes && elf_compare_build_id(file, elf) != 1) {
		file->fault = "mismatch";
		return "is not the file that was traced: its build-id differs";
	}
	wrong = elf_expand(elf);
	if (wrong)
		return wrong;
	wrong = symbol_file_functions(file, elf);
	if (wrong)
		return wrong;
	wrong = symbol_subset_read(file, elf);
	if (wrong) {
		file->fault = "missing";
		return wrong;
	}
	file->described = calloc(1, sizeof(*file->described));
	if (!file->described)
		return "out of memory";
	unit_symbols_add_elf(file->described, elf);
	has_table = elf_find_section(elf, NULL, SHT_SYMTAB, &header);
	if (!file->by_symbol) {
		load_symbols(file, elf, SHT_SYMTAB, false);
		load_symbols(file, elf, SHT_DYNSYM, false);
	}
	keep_linkage(file);
	unit_symbols_sort(file->described);
	symbol_dwarf_name(file, file->source);
	if ((!has_table && !file->by_symbol) || has_nameless(file))
		load_debug_file(file, false);
	/* Servers are queried only if no other source has the names. */
	if (!has_table && !file->debug_path && has_nameless(file))
		load_debug_file(file, true);
	name_by_description(file);
	if (file->debug_servers == SERVERS_HAVE_NONE && has_nameless(file))
		message("%s: no server in DEBUGINFOD_URLS has its debug file; functions without a symbol are shown by "
			"address", file->shown_path);
	return NULL;
}

const char *symbol_file_load(struct symbol_file *file, int fd)
{
	const char *wrong;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	wrong = load(file, elf);
	elf_end(elf);
	return wrong;
}
