/* SPDX-License-Identifier: MIT */
/*
 * elf_facts.h - what an ELF file says of how it can be run and traced: sleds, stub, names.
 *
 * Nothing of it is executed. Any bytes may be in it.
 */
#ifndef SPOOR_READER_ELF_FACTS_H
#define SPOOR_READER_ELF_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/registration.h"

struct elf_facts {
	bool is_elf;
	bool is_64_bit;			/* and little-endian: else nothing below is read */
	uint16_t type, machine;		/* ET_*, EM_* */
	bool is_program;		/* and no library */
	char *loader;			/* the dynamic one that it asks for; null: none */
	uint32_t build_id_bytes;

	uint64_t functions;		/* in its function table */
	uint64_t sleds;			/* in its sled map; those that stay dormant: */
	uint64_t of_other_kind, conditional, on_stack, unexpected;
	bool has_stub;
	bool calls_hooks;		/* __cyg_profile_func_enter and its like */
	bool calls_runtime;		/* _spoor_runtime_LogFunctionEntry: no sleds are needed */
	bool notes_first_runs;		/* -fspoor-mode=order: nor are they here */
	bool is_described;		/* by .spoor_symbols */
	bool has_symbols;		/* a symbol table, not just the dynamic one */
	bool has_debug_info;		/* itself, not in a debug file */
	uint32_t asleep;		/* enum spoor_asleep, or 0 */
	char runtime[SPOOR_NOTE_VERSION_BYTES + 1];	/* the version of the runtime that is in it; "": none is */
};

/*
 * elf_facts_read - the facts of the file @fd.
 *
 * Return: null, or what keeps us from reading them, a sentence without its end. Free them in
 * any case.
 */
const char *elf_facts_read(struct elf_facts *facts, int fd);

/* The same of the file at @path, which need not be one that we may read. */
const char *elf_facts_read_path(struct elf_facts *facts, const char *path);
void elf_facts_free(struct elf_facts *facts);

#endif
