/* SPDX-License-Identifier: MIT */
/* program_modules.c - lists the executable and the libraries with which a program starts. */
#include "record/choice/program_modules.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/loader_list.h"
#include "reader/symbols/elf_facts.h"
#include "record/launch.h"

static void add(struct program_modules *modules, const char *name, const char *path, const struct elf_facts *facts)
{
	struct program_module *list = reallocarray(modules->list, modules->count + 1, sizeof(*list)), *module;

	if (!list)
		return;
	modules->list = list;
	module = &list[modules->count];
	*module = (struct program_module){
		.path = strdup(path),
		.name = strdup(name),
		.is_traced = (facts->has_stub && facts->functions) || facts->calls_runtime || facts->calls_hooks ||
			     facts->notes_first_runs,
		.has_table = facts->functions && !facts->calls_hooks && !facts->notes_first_runs,
	};
	if (!module->path || !module->name) {
		free(module->path);
		free(module->name);
		return;
	}
	modules->count++;
	modules->traced += module->is_traced;
}

struct listing {
	struct program_modules *modules;
	bool is_complete;
};

static void take_library(void *context, const char *name, const char *path)
{
	struct listing *listing = context;
	struct elf_facts facts;

	if (!name || !path) {
		listing->is_complete = false;
		return;
	}
	if (!elf_facts_read_path(&facts, path))
		add(listing->modules, name, path, &facts);
	elf_facts_free(&facts);
}

bool program_modules_find(struct program_modules *modules, const char *name)
{
	struct listing listing = { modules, true };
	char path[PATH_MAX], interpreter[PATH_MAX];
	struct elf_facts facts;
	bool known = false;

	*modules = (struct program_modules){ 0 };
	if (!launch_find(name, path) || launch_script(path, interpreter))
		return false;
	if (!elf_facts_read_path(&facts, path) && facts.is_program) {
		const char *slash = strrchr(path, '/');

		add(modules, slash ? slash + 1 : path, path, &facts);
		known = !facts.loader || !loader_list(facts.loader, path, environ, take_library, &listing);
	}
	elf_facts_free(&facts);
	return known && listing.is_complete;
}

void program_modules_free(struct program_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		free(modules->list[i].path);
		free(modules->list[i].name);
	}
	free(modules->list);
	*modules = (struct program_modules){ 0 };
}
