/* SPDX-License-Identifier: MIT */
/* data_symbols.c - finds variables in the symbol tables of the executable and libraries of a process. */
#include "reader/symbols/data_symbols.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/files/printable_text.h"
#include "reader/files/process.h"
#include "reader/packed/elf_compression.h"
#include "reader/packed/symbol_pack.h"
#include "reader/symbols/demangle.h"
#include "reader/symbols/symbol_functions.h"

/* Returns the name of the variable at @value in a symbol table. */
static char *find_in_table(Elf *elf, GElf_Word type, uint64_t value, bool demangle)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(elf, NULL, type, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t count = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;

	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Sym symbol;
		const char *name;
		char *shown, *text;

		if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || value < symbol.st_value ||
		    value - symbol.st_value >= symbol.st_size)
			continue;
		name = elf_strptr(elf, header.sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		shown = demangle_function(name, demangle);
		if (!shown || value == symbol.st_value)
			return clean_name(shown);
		if (asprintf(&text, "%s+0x%" PRIx64, shown, value - symbol.st_value) < 0)
			text = NULL;
		free(shown);
		return clean_name(text);
	}
	return NULL;
}

/* @is_packed: the file is one of the trace's own */
static char *find_in_file(const struct module *module, const char *path, bool is_packed, uint64_t address)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (is_packed ? O_NOFOLLOW : 0));
	Elf *elf = NULL;
	char *name = NULL;

	if (file < 0)
		return NULL;
	if (elf_version(EV_CURRENT) != EV_NONE && !(is_packed && symbol_pack_check(file)))
		elf = elf_begin(file, ELF_C_READ, NULL);
	if (!elf_unreadable(elf) && !elf_expand(elf) && elf_compare_build_id(module->symbols, elf) != 0) {
		name = find_in_table(elf, SHT_SYMTAB, address - module->load_bias, module->symbols->demangle);
		if (!name)
			name = find_in_table(elf, SHT_DYNSYM, address - module->load_bias, module->symbols->demangle);
	}
	elf_end(elf);
	close(file);
	return name;
}

static char *find_in_module(const struct module *module, uint64_t address)
{
	char *name = module->symbols->packed ? find_in_file(module, module->symbols->packed, true, address) : NULL;

	return name ? name : find_in_file(module, module->path, false, address);
}

char *data_symbols_name(const struct process *process, uint64_t address)
{
	char *name = NULL;

	for (size_t i = 0; i < process->module_count && !name; i++) {
		const struct module *module = &process->modules[i];

		if (module->symbols && address >= module->load_bias)
			name = find_in_module(module, address);
	}
	return name;
}
