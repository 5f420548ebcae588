/* SPDX-License-Identifier: MIT */
/*
 * function_facts.h - name, file and line of chosen functions of a module, out of
 * its file.
 */
#ifndef SPOOR_FUNCTION_FACTS_H
#define SPOOR_FUNCTION_FACTS_H

#include "elf/source_lines.h"
#include "module/registry.h"

struct spoor_function_fact {
	uint64_t address;	/* as in the file */
	uint32_t local;
	const char *linkage_name;	/* the file's; null: not known */
	struct spoor_source_place place;
};

struct spoor_function_facts {
	struct spoor_elf_file file;	/* what the facts point into */
	struct spoor_function_fact *facts;	/* by address */
	uint32_t count;
	size_t bytes;
};

/*
 * spoor_function_facts_find - of the functions whose bit is set.
 *
 * A file that is gone, or another one by now, leaves names and places null.
 * Reads symbols and line tables whole: 0.5 us a function or so.
 *
 * Return: 0, or -ENOMEM. Context: under the registry's lock, with the module mapped.
 */
int spoor_function_facts_find(const struct spoor_instance *instance, const uint64_t *bits,
			      struct spoor_function_facts *facts);
void spoor_function_facts_free(struct spoor_function_facts *facts);

#endif
