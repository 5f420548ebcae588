/* SPDX-License-Identifier: MIT */
/*
 * symbol_load.c - names of functions out of an ELF file.
 *
 * 30 ns a symbol and function or so: each symbol is looked up among the
 * functions' addresses, not the other way round.
 */
#include "symbol_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol_functions.h"
#include "unit_symbols.h"

static bool same_build_id(const struct symbol_file *file, const void *build_id, size_t bytes)
{
	return bytes == file->build_id_bytes && memcmp(build_id, file->build_id, bytes) == 0;
}

/* Looks through one note section or segment. Return: 1 same, 0 another, -1 none here. */
static int compare_note(const struct symbol_file *file, Elf_Data *data)
{
	size_t at = 0, name_at, descriptor_at;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name_at, &descriptor_at)) > 0)
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp((const char *)data->d_buf + name_at, "GNU", 4) == 0)
			return same_build_id(file, (const uint8_t *)data->d_buf + descriptor_at, note.n_descsz);
	return -1;
}

/* Return: 1 the recorded build-id, 0 another one, -1 none. */
static int compare_build_id(const struct symbol_file *file, Elf *elf)
{
	size_t segments;
	int result = -1;

	if (elf_getphdrnum(elf, &segments))
		return -1;
	for (size_t i = 0; i < segments && result < 0; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_NOTE)
			result = compare_note(file, elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
									 segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	}
	return result;
}

/* How good a name for a function is, 0 none at all. */
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

/* Whether @name, of this rank, is the better of two names for one address. */
static bool better_name(int rank, const char *name, int old_rank, const char *old)
{
	if (rank != old_rank)
		return rank > old_rank;
	size_t length = strlen(name), old_length = strlen(old);

	return length != old_length ? length < old_length : strcmp(name, old) < 0;
}

static void load_symbols(struct symbol_file *file, Elf *elf, GElf_Word type)
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
		size_t low = 0, high = file->count;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (file->addresses[middle].address < symbol.st_value)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == file->count || file->addresses[low].address != symbol.st_value)
			continue;

		const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
		int rank = symbol_rank(&symbol, name);

		for (; rank && low < file->count && file->addresses[low].address == symbol.st_value; low++) {
			uint32_t local = file->addresses[low].local;

			/* A name without a rank is the other symbol table's, which came first. */
			if (file->linkage[local] &&
			    (!ranks[local] || !better_name(rank, name, ranks[local], file->linkage[local])))
				continue;
			file->linkage[local] = name;
			ranks[local] = (uint8_t)rank;
		}
	}
	free(ranks);
}

/* Copies the names found so far: they are the ELF file's until then. */
static void keep_linkage(struct symbol_file *file)
{
	for (uint32_t i = 0; i < file->count; i++) {
		if (!file->linkage[i] || file->linkage_kept[i])
			continue;
		file->linkage[i] = strdup(file->linkage[i]);
		file->linkage_kept[i] = file->linkage[i] != NULL;
	}
}

/* Whether a symbol is that of a copy, or of a part: "name.specialized.1". */
static bool tells_more(const char *symbol, const char *name)
{
	size_t length = strlen(name);

	return symbol && strncmp(symbol, name, length) == 0 && symbol[length] == '.';
}

/*
 * Takes the names that the pass has said, which are those in the source: symbols of
 * functions that were folded into one are each other's, and one that was local to its
 * unit may have been renamed.
 */
static void name_by_description(struct symbol_file *file)
{
	for (uint32_t i = 0; i < file->count; i++) {
		const struct unit_symbol *symbol = symbol_file_described(file, i);
		const char *name = symbol ? unit_symbol_text(symbol->info->linkage_name) : "";
		char *copy;

		if (!*name || tells_more(file->linkage[i], name))
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

bool symbol_file_debug_path(const struct symbol_file *file, char path[SYMBOL_DEBUG_PATH_MAX])
{
	char *at = path;

	if (file->build_id_bytes < 2 || file->build_id_bytes > 255)
		return false;
	at += sprintf(at, "/usr/lib/debug/.build-id/%02x/", file->build_id[0]);
	for (uint32_t i = 1; i < file->build_id_bytes; i++)
		at += sprintf(at, "%02x", file->build_id[i]);
	strcpy(at, ".debug");
	return true;
}

Elf *symbol_debug_open(const struct symbol_file *file, int *fd)
{
	char path[SYMBOL_DEBUG_PATH_MAX];
	Elf *elf;

	*fd = -1;
	if (!symbol_file_debug_path(file, path))
		return NULL;
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	elf = *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ, NULL);
	if (elf && compare_build_id(file, elf) == 1)
		return elf;
	elf_end(elf);
	return NULL;
}

/* A stripped file's symbols may lie apart. */
static void load_debug_file(struct symbol_file *file)
{
	int fd;
	Elf *elf = symbol_debug_open(file, &fd);

	if (elf) {
		load_symbols(file, elf, SHT_SYMTAB);
		keep_linkage(file);
		if (!file->described->count)
			unit_symbols_add_elf(file->described, elf);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

static const char *load(struct symbol_file *file, Elf *elf)
{
	const char *wrong = elf_unreadable(elf);
	GElf_Shdr header;

	file->fault = "missing";
	if (wrong)
		return wrong;
	if (file->build_id_bytes && compare_build_id(file, elf) != 1) {
		file->fault = "mismatch";
		return "is not the file that was traced: its build-id differs";
	}
	wrong = symbol_file_functions(file, elf);
	if (wrong)
		return wrong;
	file->described = calloc(1, sizeof(*file->described));
	if (!file->described)
		return "no memory for its symbols";
	unit_symbols_add_elf(file->described, elf);
	load_symbols(file, elf, SHT_SYMTAB);
	keep_linkage(file);
	if (!elf_find_section(elf, NULL, SHT_SYMTAB, &header))
		load_debug_file(file);
	load_symbols(file, elf, SHT_DYNSYM);
	keep_linkage(file);
	unit_symbols_sort(file->described);
	name_by_description(file);
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
