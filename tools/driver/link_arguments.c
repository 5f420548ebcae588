/* SPDX-License-Identifier: MIT */
/* link_arguments.c - adds the stub and the runtime to a command that links. */
#define _GNU_SOURCE
#include "driver/link_arguments.h"

#include <stdlib.h>
#include <string.h>

static bool target_begins(const char *target, const char *architecture)
{
	size_t length = strlen(architecture);

	return strncmp(target, architecture, length) == 0 && target[length] == '-';
}

enum target find_target(const struct driver_plan *plan)
{
	if (plan->word_size && strcmp(plan->word_size, "-m64") != 0)
		return TARGET_UNKNOWN;
	if (!plan->target)
		return TARGET_OURS;
	if (!strstr(plan->target, "linux"))
		return TARGET_UNKNOWN;
	return target_begins(plan->target, SPOOR_ARCH) ? TARGET_OURS :
	       target_begins(plan->target, SPOOR_OTHER_ARCH) ? TARGET_OTHER : TARGET_UNKNOWN;
}

/* Returns whether the command links code with a stub. */
static bool links_stub(const struct driver_plan *plan)
{
	return plan->link_stub && plan->has_link_input && plan->stage == DRIVER_STAGE_LINK && !plan->relocatable &&
	       find_target(plan) != TARGET_UNKNOWN;
}

void add_link_arguments(struct command *command, const struct driver_plan *plan)
{
	enum target target = find_target(plan);

	if (!links_stub(plan))
		return;
	/* Drop the assembler labels that come with each function's sleds, two for each, because linkers would
	 * keep them. Request the stub, because no object refers to it: otherwise objects could not be linked
	 * without it. */
	command_add(command, "-Wl,-X,-u,spoor_dso_anchor");
	command_add(command, find_part(target == TARGET_OURS ? SPOOR_PART_STUB : SPOOR_PART_STUB_OTHER,
				       "the registration stub", "build or install it"));
	if (!plan->link_runtime)
		return;
	if (plan->static_program) {
		if (target != TARGET_OURS)
			die("-fspoor-runtime with -static: there is no libspoor.a for the target: leave out --target "
			    "and -m32");
		/* The stub's reference is weak, which loads no member of an archive. */
		command_add(command, "-Wl,-u,spoor_dso_register");
		command_add(command, find_part(SPOOR_PART_ARCHIVE, "the runtime as an archive", "build or install it"));
		command_add(command, "-lpthread");
		command_add(command, "-ldl");
		return;
	}
	/* The stub's reference is weak, so --as-needed would drop the library. */
	command_add(command, "-Wl,--push-state,--no-as-needed");
	command_add(command, find_part(target == TARGET_OURS ? SPOOR_PART_RUNTIME : SPOOR_PART_RUNTIME_OTHER, "the runtime",
				       target == TARGET_OURS ? "build or install it"
							     : "put the runtime for that target there"));
	command_add(command, "-Wl,--pop-state");
}

/* Returns whether the dynamic linker searches the folder by default, as on Debian and others. */
static bool is_searched(const char *folder)
{
	const char *below = strncmp(folder, "/usr/lib", 8) == 0 ? folder + 8 : strncmp(folder, "/lib", 4) == 0 ? folder + 4 : NULL;

	return below && (!*below || strcmp(below, "64") == 0 || (*below == '/' && !strchr(below + 1, '/') && strstr(below, "-linux-")));
}

void add_run_path(struct command *command, const struct driver_plan *plan)
{
	char *path;

	if (!links_stub(plan) || !plan->link_runtime || plan->static_program || find_target(plan) != TARGET_OURS)
		return;
	path = find_part(SPOOR_PART_RUNTIME, "the runtime", "build or install it");
	*strrchr(path, '/') = '\0';
	if (is_searched(path)) {
		free(path);
		return;
	}
	/* Unlike -Wl, -Xlinker accepts a comma in its value. */
	command_add(command, "-Xlinker");
	command_add(command, "-rpath");
	command_add(command, "-Xlinker");
	command_add(command, path);
}
