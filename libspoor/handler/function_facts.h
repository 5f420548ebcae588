/* SPDX-License-Identifier: MIT */
/* function_facts.h - finds name, file and line of chosen functions in a module's file. */
#ifndef SPOOR_FUNCTION_FACTS_H
#define SPOOR_FUNCTION_FACTS_H

#include "elf/source_lines.h"
#include "module/registry.h"

struct spoor_function_fact {
	uint64_t address;	/* virtual address, as in the file */
	uint32_t local;
	const char *linkage_name;	/* points into `file`; null: unknown */
	struct spoor_source_place place;
};

struct spoor_function_facts {
	struct spoor_elf_file file;	/* the module's file, into which the facts point */
	struct spoor_function_fact *facts;	/* sorted by address */
	uint32_t count;
	size_t bytes;
};

/*
 * spoor_function_facts_find - finds the facts of the functions whose bit is set.
 * @bits: by local ID
 *
 * If the file is missing or is a different build, names and places are null. Reads all
 * symbols and line tables: about 0.5 us a function.
 *
 * Returns 0, or -ENOMEM. Free the facts in both cases. Context: under the registry's lock,
 * with the module mapped.
 */
int spoor_function_facts_find(const struct spoor_instance *instance, const uint64_t *bits,
			      struct spoor_function_facts *facts);
void spoor_function_facts_free(struct spoor_function_facts *facts);

#endif
