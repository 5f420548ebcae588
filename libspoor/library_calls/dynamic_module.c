/* SPDX-License-Identifier: MIT */
/* dynamic_module.c - reads the dynamic section of a loaded module, and looks up symbols with versions. */
#define _GNU_SOURCE
#include "library_calls/dynamic_module.h"

#include <string.h>

#include "base/memory.h"

#define VERSION_HIDDEN 0x8000u


static uintptr_t round_down(uintptr_t address)
{
	return address & -(uintptr_t)spoor_page_bytes;
}

/* glibc's loader relocates the addresses in dynamic sections, musl's does not. */
static const void *at(const struct spoor_dynamic_module *module, const ElfW(Dyn) *entry)
{
	uintptr_t address = entry->d_un.d_ptr;

	return (const void *)(address < module->low ? module->bias + address : address);
}

static void read_segments(const struct dl_phdr_info *object, struct spoor_dynamic_module *module)
{
	module->low = UINTPTR_MAX;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t begin = object->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;

		if (segment->p_type == PT_LOAD) {
			module->low = begin < module->low ? begin : module->low;
			module->high = end > module->high ? end : module->high;
			if (segment->p_offset == 0)
				module->header = (const void *)begin;
		} else if (segment->p_type == PT_DYNAMIC) {
			module->dynamic = (const void *)begin;
		} else if (segment->p_type == PT_GNU_RELRO) {
			module->relro_low = round_down(begin);
			module->relro_high = round_down(end);
		}
	}
}

static uint32_t count_by_gnu_hash(const uint32_t *table)
{
	uint32_t bucket_count = table[0], first = table[1], mask_words = table[2], last = 0;
	const uint32_t *buckets = table + 4 + mask_words * (sizeof(ElfW(Addr)) / 4), *chains = buckets + bucket_count;

	for (uint32_t i = 0; i < bucket_count; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < first)
		return first;
	while (!(chains[last - first] & 1))
		last++;
	return last + 1;
}

bool spoor_dynamic_module_read(const struct dl_phdr_info *object, struct spoor_dynamic_module *module)
{
	uint64_t slot_bytes = 0, soname = 0;
	bool is_rela = true;

	memset(module, 0, sizeof(*module));
	module->name = object->dlpi_name;
	module->bias = object->dlpi_addr;
	read_segments(object, module);
	if (!module->dynamic || strncmp(object->dlpi_name, "linux-vdso", strlen("linux-vdso")) == 0)
		return false;
	for (const ElfW(Dyn) *entry = module->dynamic; entry->d_tag != DT_NULL; entry++) {
		switch (entry->d_tag) {
		case DT_STRTAB: module->strings = at(module, entry); break;
		case DT_SYMTAB: module->symbols = at(module, entry); break;
		case DT_VERSYM: module->versions = at(module, entry); break;
		case DT_VERDEF: module->defined = at(module, entry); break;
		case DT_VERNEED: module->needed = at(module, entry); break;
		case DT_GNU_HASH: module->gnu_hash = at(module, entry); break;
		case DT_HASH: module->hash = at(module, entry); break;
		case DT_JMPREL: module->slots = at(module, entry); break;
		case DT_PLTRELSZ: slot_bytes = entry->d_un.d_val; break;
		case DT_PLTREL: is_rela = entry->d_un.d_val == DT_RELA; break;
		case DT_SONAME: soname = entry->d_un.d_val; break;
		case DT_RPATH:
		case DT_RUNPATH: module->has_path = true; break;
		default: break;
		}
	}
	if (!module->strings || !module->symbols)
		return false;
	module->soname = soname ? module->strings + soname : NULL;
	module->slot_count = module->slots && is_rela ? (uint32_t)(slot_bytes / sizeof(*module->slots)) : 0;
	if (module->hash)
		module->symbol_count = module->hash[1];
	else if (module->gnu_hash)
		module->symbol_count = count_by_gnu_hash(module->gnu_hash);
	return true;
}

const char *spoor_dynamic_version_needed(const struct spoor_dynamic_module *module, uint32_t symbol)
{
	uint32_t wanted = module->versions ? module->versions[symbol] & ~VERSION_HIDDEN : 0;
	const ElfW(Verneed) *file = module->needed;

	while (file && wanted > VER_NDX_GLOBAL) {
		const ElfW(Vernaux) *version = (const void *)((const char *)file + file->vn_aux);

		for (uint32_t i = 0; i < file->vn_cnt; i++) {
			if (version->vna_other == wanted)
				return module->strings + version->vna_name;
			version = (const void *)((const char *)version + version->vna_next);
		}
		file = file->vn_next ? (const void *)((const char *)file + file->vn_next) : NULL;
	}
	return NULL;
}

/* The name of a version that the module defines. */
static const char *version_defined(const struct spoor_dynamic_module *module, uint32_t number)
{
	const ElfW(Verdef) *version = module->defined;

	while (version && version->vd_ndx != number)
		version = version->vd_next ? (const void *)((const char *)version + version->vd_next) : NULL;
	if (!version)
		return NULL;
	return module->strings + ((const ElfW(Verdaux) *)((const char *)version + version->vd_aux))->vda_name;
}

/* Returns how well a symbol fits: 2: exactly, 1: it has no version, 0: not. */
static int fit_of(const struct spoor_dynamic_module *module, uint32_t symbol, const char *name, const char *version)
{
	uint32_t number = module->versions ? module->versions[symbol] : VER_NDX_GLOBAL;
	const char *defined;

	if (module->symbols[symbol].st_shndx == SHN_UNDEF || strcmp(module->strings + module->symbols[symbol].st_name, name) != 0)
		return 0;
	if (!version)
		return number & VERSION_HIDDEN ? 1 : 2;
	if ((number & ~VERSION_HIDDEN) <= VER_NDX_GLOBAL)
		return 1;
	defined = version_defined(module, number & ~VERSION_HIDDEN);
	return defined && strcmp(defined, version) == 0 ? 2 : 0;
}

static uint32_t find_by_gnu_hash(const struct spoor_dynamic_module *module, const char *name, const char *version)
{
	const uint32_t *table = module->gnu_hash;
	uint32_t bucket_count = table[0], first = table[1], mask_words = table[2], hash = 5381, best = 0;
	const uint32_t *buckets = table + 4 + mask_words * (sizeof(ElfW(Addr)) / 4), *chains = buckets + bucket_count;
	int best_fit = 0;

	for (const unsigned char *character = (const unsigned char *)name; *character; character++)
		hash = hash * 33 + *character;
	for (uint32_t i = bucket_count ? buckets[hash % bucket_count] : 0; i >= first && i; i++) {
		int fit = (chains[i - first] ^ hash) >> 1 ? 0 : fit_of(module, i, name, version);

		if (fit > best_fit) {
			best = i;
			best_fit = fit;
		}
		if (chains[i - first] & 1)
			break;
	}
	return best;
}

uint32_t spoor_dynamic_symbol_find(const struct spoor_dynamic_module *module, const char *name, const char *version)
{
	uint32_t best = 0;
	int best_fit = 0;

	if (module->gnu_hash)
		return find_by_gnu_hash(module, name, version);
	for (uint32_t i = 1; i < module->symbol_count; i++) {
		int fit = fit_of(module, i, name, version);

		if (fit > best_fit) {
			best = i;
			best_fit = fit;
		}
	}
	return best;
}

uint32_t spoor_dynamic_symbol_at(const struct spoor_dynamic_module *module, const char *name, const void *function)
{
	uint32_t symbol = spoor_dynamic_symbol_find(module, name, NULL);

	if (!symbol || ELF64_ST_TYPE(module->symbols[symbol].st_info) == STT_GNU_IFUNC ||
	    module->bias + module->symbols[symbol].st_value == (uintptr_t)function)
		return symbol;
	for (symbol = 1; symbol < module->symbol_count; symbol++)
		if (fit_of(module, symbol, name, NULL) && module->bias + module->symbols[symbol].st_value == (uintptr_t)function)
			return symbol;
	return 0;
}
