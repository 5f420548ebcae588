/* SPDX-License-Identifier: MIT */
/*
 * elf_facts.h - finds out from an ELF file how it can be run and traced: its sleds, stub and names.
 *
 * Executes nothing of the file. Accepts any contents.
 */
#ifndef SPOOR_READER_ELF_FACTS_H
#define SPOOR_READER_ELF_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/registration.h"

struct elf_facts {
	bool is_elf;
	bool is_64_bit;			/* and little-endian; if false, nothing below is set */
	uint16_t type, machine;		/* ET_*, EM_* */
	bool is_program;		/* not a library */
	char *loader;			/* its dynamic loader; null: none */
	uint32_t build_id_bytes;

	uint64_t functions;		/* in its function table */
	uint64_t sleds;			/* in its sled map; those that stay dormant: */
	uint64_t of_other_kind, conditional, on_stack, unexpected;
	bool has_stub;
	bool calls_hooks;		/* __cyg_profile_func_enter and its like */
	bool calls_runtime;		/* _spoor_runtime_LogFunctionEntry: it needs no sleds */
	bool notes_first_runs;		/* -fspoor-mode=order: it needs no sleds either */
	bool has_call_slots;		/* -fspoor-calls: it records calls of library functions without sleds */
	uint64_t unlisted_functions;	/* named ones without unwind entry, if the file has hooks or first runs */
	char *unlisted_function;	/* one of them */
	bool is_described;		/* has .spoor_symbols */
	bool has_symbols;		/* has .symtab, not only .dynsym */
	bool has_debug_info;		/* in the file itself, not in a debug file */
	uint32_t asleep;		/* enum spoor_asleep, or 0 */
	char runtime[SPOOR_NOTE_VERSION_BYTES + 1];	/* version of the runtime linked into it; "": none */
};

/*
 * elf_facts_read - reads the facts of the file @fd.
 *
 * Returns null, or the error, without a full stop. Call elf_facts_free in both cases.
 */
const char *elf_facts_read(struct elf_facts *facts, int fd);

/* The same for the file at @path, which may be unreadable. */
const char *elf_facts_read_path(struct elf_facts *facts, const char *path);
void elf_facts_free(struct elf_facts *facts);

#endif
