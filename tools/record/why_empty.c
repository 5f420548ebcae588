/* SPDX-License-Identifier: MIT */
/* why_empty.c - spoor record: explains why a program left no trace, as far as its files tell. */
#include "record/why_empty.h"

#include <limits.h>
#include <string.h>

#include "base/warning.h"
#include "config/configuration.h"
#include "reader/symbols/elf_facts.h"
#include "record/launch.h"
#include "base/message.h"

/* Returns whether the program's own file can be recorded. @loads: whether libspoor.so can be loaded into it. */
static bool has_sleds(const char *name, bool *loads, bool *lacks_stub)
{
	struct elf_facts facts;
	char path[PATH_MAX];
	bool has;

	if (!launch_find(name, path))
		return false;
	has = !elf_facts_read_path(&facts, path) && facts.has_stub &&
	      (facts.functions || facts.calls_runtime || facts.notes_first_runs);
	*loads = facts.loader != NULL;
	*lacks_stub = facts.sleds && !has;
	elf_facts_free(&facts);
	return has;
}

/* Returns whether the program's environment asked for no trace, which explains everything. */
static bool is_recording_off(const struct record *record, const char *name)
{
	static struct spoor_configuration configuration;
	char messages[1024] = "";
	int error;

	if (record->pid)
		return false;
	spoor_warning_divert(messages, sizeof(messages));
	error = spoor_configuration_read(&configuration);
	spoor_warning_divert(NULL, 0);
	if (error < 0)
		message("the recording is empty: the runtime's configuration is invalid: 'spoor config' shows the error");
	else if (!*configuration.handler && configuration.mode == SPOOR_MODE_OFF)
		message("the recording is empty: in mode 'off' %s is dormant until it calls spoor_enable()", name);
	/* A handler receives all events instead of the trace. */
	return error < 0 || *configuration.handler || configuration.mode == SPOOR_MODE_OFF;
}

void explain_empty_recording(const struct record *record, const char *name)
{
	bool loads = false, lacks_stub = false, has;

	if (is_recording_off(record, name))
		return;
	has = record->program && has_sleds(name, &loads, &lacks_stub);
	if (record->library_calls)
		message("the recording is empty: %s has no sleds that spoor can wake, and called no function that "
			"--library-calls chooses; a statically linked program calls no libraries", name);
	else if (record->tracepoints)
		message("the recording is empty: %s has no sleds that spoor can wake, and reached none of the chosen "
			"static tracepoints", name);
	else if (lacks_stub)
		message("the recording is empty: %s has sleds and was linked without spoor's stub: link it with spoor-cc or "
			"spoor-c++", name);
	else if (record->modules || record->functions)
		message("the recording is empty: --module and --function select no function of %s with a sled", name);
	else if (has && !loads)
		message("the recording is empty: %s is linked statically and cannot load libspoor.so: link it "
			"dynamically, or with -fspoor-runtime", name);
	else if (has)
		message("the recording is empty, although %s has sleds: see the messages above, or run 'spoor doctor %s'",
			name, name);
	else
		message("the recording is empty: %s has no sleds: build it and its libraries with CC=spoor-cc "
			"CXX=spoor-c++, or if it starts a container, use --container=DIR; 'spoor doctor %s' shows other "
			"reasons", name, name);
}
