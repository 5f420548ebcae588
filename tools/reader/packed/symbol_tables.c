/* SPDX-License-Identifier: MIT */
/* symbol_tables.c - writes the symbol tables of a module's file: the names of the functions that a trace needs. */
#include "reader/packed/symbol_tables.h"

#include <stdlib.h>
#include <string.h>

#include "reader/packed/symbol_subset.h"
#include "reader/symbols/symbol_functions.h"

static bool is_wanted_function(const struct symbol_file *file, uint64_t address)
{
	uint32_t i = function_addresses_from(file->addresses, file->count, address);

	for (; i < file->count && file->addresses[i].address == address; i++)
		if (symbol_file_wants(file, file->addresses[i].local))
			return true;
	return false;
}

/* Returns whether a lock that the trace names is part of the variable. */
static bool is_wanted_variable(const struct symbol_file *file, const GElf_Sym *symbol)
{
	if (GELF_ST_TYPE(symbol->st_info) != STT_OBJECT)
		return false;
	for (size_t i = 0; i < file->variable_count; i++)
		if (file->variables[i] >= symbol->st_value && file->variables[i] - symbol->st_value < symbol->st_size)
			return true;
	return false;
}

static void put_symbol(struct elf_writer *out, struct elf_bytes *strings, const char *name, uint8_t info, uint64_t value,
		       uint64_t size)
{
	Elf64_Sym symbol = { .st_name = (Elf64_Word)strings->used, .st_info = info, .st_shndx = SHN_ABS, .st_value = value,
			     .st_size = size };

	if (strings->used + strlen(name) >= UINT32_MAX)
		return;
	elf_writer_put(out, &symbol, sizeof(symbol));
	elf_writer_put_to(out, strings, name, strlen(name) + 1);
}

/* Copies the symbols at the begin of functions in their order, because the order decides between equal ones. */
static void put_found(const struct symbol_file *file, struct elf_writer *out, struct elf_bytes *strings, Elf *elf,
		      Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		const char *text;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF ||
		    (!is_wanted_function(file, symbol.st_value) && !is_wanted_variable(file, &symbol)))
			continue;
		text = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (text)
			put_symbol(out, strings, text, symbol.st_info, symbol.st_value,
				   GELF_ST_TYPE(symbol.st_info) == STT_OBJECT ? symbol.st_size : 0);
	}
}

/* Copies names that only a debug file or debug information has. */
static void put_apart(const struct symbol_file *file, struct elf_writer *out, struct elf_bytes *strings)
{
	for (uint32_t i = 0; i < file->count; i++)
		if (file->named_apart[i] && file->linkage[i] && symbol_file_wants(file, i))
			put_symbol(out, strings, file->linkage[i], ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), file->virtual[i], 0);
}

void symbol_tables_put_numbered(const struct symbol_file *file, struct elf_writer *out)
{
	struct elf_bytes strings = { 0 };
	Elf64_Shdr *to;

	elf_writer_put_to(out, &strings, "", 1);
	to = elf_writer_section(out, ".dynsym", SHT_DYNSYM);
	to->sh_entsize = sizeof(Elf64_Sym);
	to->sh_link = out->section_count;
	for (uint32_t i = 0; i < file->count; i++)
		put_symbol(out, &strings, symbol_file_wants(file, i) && file->linkage[i] ? file->linkage[i] : "?",
			   ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), file->virtual[i], 0);
	elf_writer_end_large_section(out, to);
	to = elf_writer_section(out, ".dynstr", SHT_STRTAB);
	elf_writer_put(out, strings.at, out->failed ? 0 : strings.used);
	elf_writer_end_large_section(out, to);
	free(strings.at);
}

void symbol_tables_put(const struct symbol_file *file, struct elf_writer *out, Elf *elf, GElf_Word type)
{
	bool is_dynamic = type == SHT_DYNSYM;
	struct elf_bytes strings = { 0 };
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(elf, NULL, type, &header);
	Elf64_Shdr *to;

	elf_writer_put_to(out, &strings, "", 1);
	to = elf_writer_section(out, is_dynamic ? ".dynsym" : ".symtab", type);
	to->sh_entsize = sizeof(Elf64_Sym);
	to->sh_link = out->section_count;
	elf_writer_put(out, &(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	put_found(file, out, &strings, elf, section, &header);
	if (!is_dynamic)
		put_apart(file, out, &strings);
	elf_writer_end_large_section(out, to);
	to = elf_writer_section(out, is_dynamic ? ".dynstr" : ".strtab", SHT_STRTAB);
	elf_writer_put(out, strings.at, out->failed ? 0 : strings.used);
	elf_writer_end_large_section(out, to);
	free(strings.at);
}
