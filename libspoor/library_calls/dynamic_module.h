/* SPDX-License-Identifier: MIT */
/* dynamic_module.h - the dynamic symbols and jump slots of a loaded module, read from its memory. */
#ifndef SPOOR_DYNAMIC_MODULE_H
#define SPOOR_DYNAMIC_MODULE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct spoor_dynamic_module {
	const char *name;		/* as the dynamic loader spells it; "" for the executable */
	const void *header;		/* the ELF header; null if it is not loaded */
	const ElfW(Dyn) *dynamic;
	uintptr_t bias, low, high;
	uintptr_t relro_low, relro_high;	/* whole pages */
	const char *soname;		/* null: none */
	const char *strings;
	const ElfW(Sym) *symbols;
	uint32_t symbol_count;
	const ElfW(Half) *versions;	/* by symbol; null: none */
	const ElfW(Verdef) *defined;
	const ElfW(Verneed) *needed;
	const uint32_t *gnu_hash, *hash;
	const ElfW(Rela) *slots;	/* relocations of jump slots */
	uint32_t slot_count;
	bool has_path;			/* DT_RPATH or DT_RUNPATH */
};

/* Reads a module. Returns false if it has no dynamic symbols, or is not a file (the vDSO). Context: in a callback of
 * dl_iterate_phdr. */
bool spoor_dynamic_module_read(const struct dl_phdr_info *object, struct spoor_dynamic_module *module);

/* The name of the version that a symbol's reference needs, or null. */
const char *spoor_dynamic_version_needed(const struct spoor_dynamic_module *module, uint32_t symbol);

/* Finds the symbol that a module defines under this name and version (null: any, preferably the default one). Returns
 * its index; 0: none. */
uint32_t spoor_dynamic_symbol_find(const struct spoor_dynamic_module *module, const char *name, const char *version);

/* Finds the symbol that a module defines under this name, in any version, for the code at @function: an indirect function
 * has chosen its code itself. Returns its index; 0: none. */
uint32_t spoor_dynamic_symbol_at(const struct spoor_dynamic_module *module, const char *name, const void *function);

#endif
