/* SPDX-License-Identifier: MIT */
/* program_modules.c - lists the executable and the libraries of a program or a process. */
#include "record/choice/program_modules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/loader_list.h"
#include "base/system/namespaces.h"
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
		.has_call_slots = facts->has_call_slots && facts->has_stub && facts->functions,
	};
	if (!module->path || !module->name) {
		free(module->path);
		free(module->name);
		return;
	}
	modules->count++;
	modules->traced += module->is_traced;
	modules->has_call_slots |= module->has_call_slots;
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

bool program_modules_of_process(struct program_modules *modules, pid_t process_id)
{
	char maps[64], line[PATH_MAX + 128], last[PATH_MAX + 128] = "";
	bool known = !namespaces_other_files(process_id);
	FILE *file;

	*modules = (struct program_modules){ 0 };
	snprintf(maps, sizeof(maps), "/proc/%d/maps", (int)process_id);
	file = fopen(maps, "re");
	while (file && known && fgets(line, sizeof(line), file)) {
		char access[8], *path = strchr(line, '/');
		struct elf_facts facts;

		line[strcspn(line, "\n")] = '\0';
		if (!path || sscanf(line, "%*s %7s", access) != 1 || access[2] != 'x' || strcmp(path, last) == 0)
			continue;
		strcpy(last, path);
		/* A file that was removed or replaced may have had other functions. */
		known = namespaces_same_file(process_id, path);
		if (!known)
			break;
		if (!elf_facts_read_path(&facts, path))
			add(modules, strrchr(path, '/') + 1, path, &facts);
		else
			known = false;
		elf_facts_free(&facts);
	}
	if (file)
		fclose(file);
	return file && known;
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
