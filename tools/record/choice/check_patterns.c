/* SPDX-License-Identifier: MIT */
/* check_patterns.c - checks before a recording that each pattern of the command line matches something. */
#include "record/choice/check_patterns.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "record/choice/inlined_report.h"
#include "record/choice/program_modules.h"
#include "record/choice/wanted_functions.h"
#include "text/capture_text.h"
#include "text/pattern.h"
#include "text/trigger_text.h"

#define LATER "use --allow-empty if a library that is loaded later, or another program that it starts, has it"

struct check {
	const struct record *record;
	const char *program;	/* its name, or the path of the process's executable */
	struct program_modules modules;
	struct wanted_function *wanted;
	size_t count;
	char trigger[4096];	/* the patterns of --trigger */
	struct inlined inlined;
	unsigned int faults;
};

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Matches like the runtime (spoor_choice_module). */
static bool module_matches(const char *glob, const char *end, const struct program_module *module)
{
	if (memchr(glob, '/', (size_t)(end - glob)))
		return spoor_glob_matches(glob, end, module->path);
	return spoor_glob_matches(glob, end, module->name) || spoor_glob_matches(glob, end, file_of(module->path));
}

static bool is_chosen(const struct check *check, const struct program_module *module)
{
	const char *rest = check->record->modules, *glob, *end;
	bool chosen = !rest || *rest == '-', excludes;

	while (rest && spoor_patterns_next(&rest, &glob, &end, &excludes))
		if (module_matches(glob, end, module))
			chosen = !excludes;
	return chosen;
}

static void check_module_pattern(struct check *check, const char *glob, const char *end)
{
	int length = (int)(end - glob);
	const struct program_module *bare = NULL;
	struct similar similar;

	similar_begin(&similar, glob, (size_t)length);
	for (size_t i = 0; i < check->modules.count; i++) {
		const struct program_module *module = &check->modules.list[i];

		if (module_matches(glob, end, module) && (module->is_traced || check->modules.has_call_slots))
			return;
		if (module_matches(glob, end, module))
			bare = module;
		else if (module->is_traced)
			similar_offer(&similar, module->name, module->name);
	}
	check->faults++;
	if (bare)
		message("--module: %s matches '%.*s' and cannot be recorded: build it with CC=spoor-cc CXX=spoor-c++",
			bare->name, length, glob);
	else if (similar_best(&similar))
		message("--module: no module of %s matches '%.*s': did you mean '%s'? Otherwise " LATER,
			check->program, length, glob, similar_best(&similar));
	else
		message("--module: no module of %s matches '%.*s': 'spoor doctor %s' lists them; " LATER,
			check->program, length, glob, check->program);
}

static void check_modules(struct check *check)
{
	const char *rest = check->record->modules, *glob, *end;
	bool excludes;

	while (rest && spoor_patterns_next(&rest, &glob, &end, &excludes))
		if (!excludes)
			check_module_pattern(check, glob, end);
}

static void want(struct check *check, const char *option, const char *begin, const char *end)
{
	/* --function chooses among traced functions, and the other options also among functions of --library-calls. */
	bool with_libraries = check->record->library_calls && strcmp(option, "--function") != 0;

	struct wanted_function *list = reallocarray(check->wanted, check->count + 1, sizeof(*list));

	if (!list)
		return;
	check->wanted = list;
	list[check->count] = (struct wanted_function){ .option = option, .begin = begin, .end = end, .with_libraries = with_libraries };
	similar_begin(&list[check->count++].similar, begin, (size_t)(end - begin));
}

static void want_list(struct check *check, const char *option, const char *list)
{
	const char *rest = list, *glob, *end;
	bool excludes;

	while (rest && spoor_patterns_next(&rest, &glob, &end, &excludes))
		if (!excludes)
			want(check, option, glob, end);
}

static void want_captures(struct check *check, const char *option, const char *list)
{
	struct spoor_capture_choice choice;

	while (list && spoor_capture_text_next(&list, &choice))
		if (!choice.excludes)
			want(check, option, choice.function, choice.function_end);
}

static void report_function(struct check *check, const struct wanted_function *wanted)
{
	const char *best = similar_best(&wanted->similar), *kind = wanted->with_libraries ? "traced function and no library function" :
			   "traced function";
	int length = (int)(wanted->end - wanted->begin);

	check->faults++;
	if (inlined_report(&check->inlined, wanted, check->record->allow_empty))
		return;
	if (*wanted->untraced)
		message("%s: '%.*s' matches only %s of %s, which has no sleds: was it built without spoor-cc, or left "
			"out by a filter? 'spoor symbols %s' says why", wanted->option, length, wanted->begin,
			wanted->untraced, wanted->untraced_module, check->program);
	else if (best)
		message("%s: no %s of %s matches '%.*s': did you mean '%s'? Otherwise " LATER,
			wanted->option, kind, check->program, length, wanted->begin, best);
	else
		message("%s: no %s of %s matches '%.*s': 'spoor symbols %s' lists its functions; " LATER,
			wanted->option, kind, check->program, length, wanted->begin, check->program);
}

static void check_functions(struct check *check)
{
	const struct record *record = check->record;
	bool has_names = true;

	if (check->modules.traced)
		want_list(check, "--function", record->functions);
	if (record->trigger && !spoor_trigger_parse(record->trigger, check->trigger, sizeof(check->trigger), NULL) &&
	    *check->trigger)
		want_list(check, "--trigger", check->trigger);
	want_captures(check, "--args", record->args);
	want_captures(check, "--retval", record->retval);
	want_captures(check, "--cpu-time", record->cpu_time);
	for (size_t i = 0; check->count && i < check->modules.count; i++) {
		const struct program_module *module = &check->modules.list[i];

		/* Untraced libraries such as libc have many functions, which no pattern means. */
		if (module->is_traced && is_chosen(check, module))
			has_names &= wanted_functions_look_up(module, check->wanted, check->count, false);
		else if (module->has_call_slots)
			has_names &= wanted_functions_look_up(module, check->wanted, check->count, true);
		/* The executable comes first. */
		if (record->library_calls && i)
			has_names &= wanted_functions_look_up_library(module, check->wanted, check->count);
	}
	for (size_t i = 0; has_names && i < check->count; i++) {
		if (check->wanted[i].is_met)
			continue;
		if (!check->faults)
			inlined_report_read(&check->inlined, &check->modules);
		report_function(check, &check->wanted[i]);
	}
	inlined_free(&check->inlined);
	free(check->wanted);
}

int record_check_patterns(const struct record *record)
{
	struct check check = { .record = record };
	bool known;

	if (record->container || !(record->modules || record->functions || record->trigger || record->args ||
				   record->retval || record->cpu_time))
		return 0;
	if (record->pid)
		known = program_modules_of_process(&check.modules, record->pid);
	else
		known = program_modules_find(&check.modules, record->program[0]);
	if (known && (check.modules.traced || (record->library_calls && check.modules.count))) {
		check.program = record->pid ? check.modules.list[0].path : record->program[0];
		if (check.modules.traced)
			check_modules(&check);
		if (!check.faults)
			check_functions(&check);
	}
	program_modules_free(&check.modules);
	return check.faults && !record->allow_empty ? SPOOR_EXIT_USAGE : 0;
}
