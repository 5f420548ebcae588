/* SPDX-License-Identifier: MIT */
/* symbol_functions.c - finds where the functions of a module begin, by local function ID. */
#define _GNU_SOURCE
#include "reader/symbols/symbol_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/registration.h"
#include "format/unwind_table.h"

const char *elf_unreadable(Elf *elf)
{
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return "is not an ELF file";
	if (gelf_getclass(elf) != ELFCLASS64 || elf_getident(elf, NULL)[EI_DATA] != ELFDATA2LSB)
		return "is not a 64-bit little-endian ELF file";
	return NULL;
}

Elf_Scn *elf_find_section(Elf *elf, const char *wanted, GElf_Word type, GElf_Shdr *header)
{
	size_t names;
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, header))
			continue;
		const char *name = elf_strptr(elf, names, header->sh_name);

		if (wanted ? name && strcmp(name, wanted) == 0 : header->sh_type == type)
			return section;
	}
	return NULL;
}

/* Compares with the build-id in a note section or segment. Returns 1 if equal, 0 if different, -1 if there is
 * none. */
static int compare_note(const struct symbol_file *file, Elf_Data *data)
{
	size_t at = 0, name_at, descriptor_at;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name_at, &descriptor_at)) > 0)
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp((const char *)data->d_buf + name_at, "GNU", 4) == 0)
			return note.n_descsz == file->build_id_bytes &&
			       memcmp((const char *)data->d_buf + descriptor_at, file->build_id, note.n_descsz) == 0;
	return -1;
}

int elf_compare_build_id(const struct symbol_file *file, Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t segments;
	int result = -1;

	/* Sections come first, because a debug file's segment headers may have the offsets of the traced file. */
	while (result < 0 && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
			result = compare_note(file, elf_getdata(section, NULL));
	}
	if (result >= 0 || elf_getphdrnum(elf, &segments))
		return result;
	for (size_t i = 0; i < segments && result < 0; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_NOTE)
			result = compare_note(file, elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
									 segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	}
	return result;
}

static int compare_addresses(const void *left, const void *right)
{
	const struct function_address *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->local < b->local ? -1 : a->local > b->local;
}

static int compare_constants(const void *left, const void *right)
{
	const struct function_constant *a = left, *b = right;

	if (a->constant != b->constant)
		return a->constant < b->constant ? -1 : 1;
	return a->local < b->local ? -1 : a->local > b->local;
}

static bool make_room(struct symbol_file *file)
{
	file->virtual = calloc(file->count + 1, sizeof(*file->virtual));
	file->addresses = calloc(file->count + 1, sizeof(*file->addresses));
	file->linkage = calloc(file->count + 1, sizeof(*file->linkage));
	file->linkage_kept = calloc(file->count + 1, sizeof(*file->linkage_kept));
	file->named_apart = calloc(file->count + 1, sizeof(*file->named_apart));
	file->constants = calloc(file->count + 1, sizeof(*file->constants));
	file->keys = calloc(file->count + 1, sizeof(*file->keys));
	return file->virtual && file->addresses && file->linkage && file->linkage_kept && file->named_apart &&
	       file->constants && file->keys;
}

/* Reads the pass's function table. */
static const char *read_table(struct symbol_file *file, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(elf, FUNCTIONS_SECTION, 0, &header);
	Elf_Data *data;

	if (!section) {
		file->fault = "missing";
		return "has no section " FUNCTIONS_SECTION;
	}
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || data->d_size / sizeof(struct spoor_function) != file->count)
		return "its function table differs from the traced one";
	if (!file->build_id_bytes && (uint32_t)XXH3_64bits(data->d_buf, data->d_size) != file->module_id)
		return "is not the file that was traced: its function table differs";
	if (!make_room(file))
		return "out of memory";
	for (uint32_t i = 0; i < file->count; i++) {
		struct spoor_function function;
		uint64_t field = header.sh_addr + (uint64_t)i * sizeof(function);

		memcpy(&function, (const char *)data->d_buf + i * sizeof(function), sizeof(function));
		file->virtual[i] = field + (uint64_t)(int64_t)function.address;
		file->keys[i] = (uint64_t)function.unit << 32 | (function.position & SPOOR_FUNCTION_POSITION_MASK);
	}
	return NULL;
}

Elf_Data *elf_unwind_table(Elf *elf, GElf_Phdr *segment)
{
	size_t segments;

	if (elf_getphdrnum(elf, &segments))
		return NULL;
	for (size_t i = 0; i < segments; i++)
		if (gelf_getphdr(elf, (int)i, segment) && segment->p_type == PT_GNU_EH_FRAME)
			return elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz, ELF_T_BYTE);
	return NULL;
}

/* Without a build-id, the addresses of its functions identify the module. */
static bool is_same(const struct symbol_file *file)
{
	uint32_t *addresses = malloc((size_t)file->count * sizeof(*addresses) + 1);
	bool same = addresses || file->build_id_bytes;

	for (uint32_t i = 0; addresses && i < file->count; i++)
		addresses[i] = (uint32_t)file->virtual[i];
	if (addresses && !file->build_id_bytes)
		same = (uint32_t)XXH3_64bits(addresses, (size_t)file->count * sizeof(*addresses)) == file->module_id;
	free(addresses);
	return same;
}

static const char *read_unwind_table(struct symbol_file *file, Elf *elf)
{
	struct spoor_unwind_table table;
	struct spoor_unwind_entry entry;
	GElf_Phdr segment;
	Elf_Data *data = elf_unwind_table(elf, &segment);

	if (!data || !data->d_buf || data->d_size < sizeof(table)) {
		file->fault = "missing";
		return "has no unwind table";
	}
	memcpy(&table, data->d_buf, sizeof(table));
	if (!spoor_unwind_table_is_one(&table) || table.count != file->count ||
	    (data->d_size - sizeof(table)) / sizeof(entry) < file->count)
		return "its unwind table differs from the traced one";
	if (!make_room(file))
		return "out of memory";
	for (uint32_t i = 0; i < file->count; i++) {
		memcpy(&entry, (const char *)data->d_buf + sizeof(table) + i * sizeof(entry), sizeof(entry));
		file->virtual[i] = segment.p_vaddr + (uint64_t)(int64_t)entry.function;
	}
	return is_same(file) ? NULL : "is not the file that was traced: its unwind table differs";
}

/* Returns the name of the version with this number; null: unknown. */
static const char *version_name(Elf *elf, unsigned int number)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(elf, NULL, SHT_GNU_verdef, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Verdaux name;
	GElf_Verdef version;

	for (int at = 0; data && gelf_getverdef(data, at, &version); at += (int)version.vd_next) {
		if (version.vd_ndx == number && gelf_getverdaux(data, at + (int)version.vd_aux, &name))
			return elf_strptr(elf, header.sh_link, name.vda_name);
		/* In a damaged file, an entry may lead back. */
		if ((int)version.vd_next <= 0)
			break;
	}
	return NULL;
}

#define VERSION_HIDDEN 0x8000

/* Returns a copy of a symbol's name, with its version if that is not the default one; null without memory. */
static char *versioned_name(Elf *elf, Elf_Data *versions, uint32_t symbol, const char *name)
{
	const char *version = NULL;
	GElf_Versym number;
	char *joined;

	if (!name || !*name)
		return strdup("?");
	if (versions && gelf_getversym(versions, (int)symbol, &number) && number & VERSION_HIDDEN)
		version = version_name(elf, number & ~VERSION_HIDDEN);
	if (!version)
		return strdup(name);
	return asprintf(&joined, "%s@%s", name, version) < 0 ? NULL : joined;
}

/* Reads the dynamic symbols. The functions of a library whose calls were recorded have the numbers of its symbols, and
 * so keep their own names if several have one address. */
static const char *read_symbols(struct symbol_file *file, Elf *elf)
{
	GElf_Shdr header, other;
	Elf_Scn *section = elf_find_section(elf, NULL, SHT_DYNSYM, &header);
	Elf_Scn *numbers = elf_find_section(elf, NULL, SHT_GNU_versym, &other);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL, *versions = numbers ? elf_getdata(numbers, NULL) : NULL;

	if (!data || !header.sh_entsize) {
		file->fault = "missing";
		return "has no dynamic symbols";
	}
	if (data->d_size / header.sh_entsize < file->count)
		return "its dynamic symbols differ from the traced ones";
	if (!make_room(file))
		return "out of memory";
	for (uint32_t i = 0; i < file->count; i++) {
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol))
			return "its dynamic symbols differ from the traced ones";
		file->virtual[i] = symbol.st_value;
		file->linkage[i] = versioned_name(elf, versions, i, elf_strptr(elf, header.sh_link, symbol.st_name));
		file->linkage_kept[i] = file->linkage[i];
	}
	return NULL;
}

static const char *read_functions(struct symbol_file *file, Elf *elf)
{
	if (file->by_symbol)
		return read_symbols(file, elf);
	return file->hooked ? read_unwind_table(file, elf) : read_table(file, elf);
}

const char *symbol_file_functions(struct symbol_file *file, Elf *elf)
{
	const char *wrong;

	file->fault = "mismatch";
	wrong = read_functions(file, elf);
	if (wrong)
		return wrong;
	for (uint32_t i = 0; i < file->count; i++) {
		file->addresses[i] = (struct function_address){ file->virtual[i], i };
		file->constants[i] = (struct function_constant){ file->keys[i], i };
	}
	qsort(file->constants, file->count, sizeof(*file->constants), compare_constants);
	qsort(file->addresses, file->count, sizeof(*file->addresses), compare_addresses);
	file->fault = NULL;
	return NULL;
}
