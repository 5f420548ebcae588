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
static bool has_sleds(const char *name, bool *loads)
{
	struct elf_facts facts;
	char path[PATH_MAX];
	bool has;

	if (!launch_find(name, path))
		return false;
	has = !elf_facts_read_path(&facts, path) && facts.has_stub &&
	      (facts.functions || facts.calls_runtime || facts.notes_first_runs);
	*loads = facts.loader != NULL;
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
		message("nothing was recorded: the runtime's configuration is wrong; 'spoor config' says where");
	else if (!*configuration.handler && configuration.mode == SPOOR_MODE_OFF)
		message("nothing was recorded: in mode 'off' %s is dormant until it calls spoor_enable()", name);
	/* A handler receives all events instead of the trace. */
	return error < 0 || *configuration.handler || configuration.mode == SPOOR_MODE_OFF;
}

void explain_empty_recording(const struct record *record, const char *name)
{
	bool loads = false, has;

	if (is_recording_off(record, name))
		return;
	has = record->program && has_sleds(name, &loads);
	if (record->tracepoints)
		message("nothing was recorded: %s has neither sleds that spoor could wake nor reached a static "
			"tracepoint that was chosen", name);
	else if (record->modules || record->functions)
		message("nothing was recorded: no function of %s that has a sled was chosen by --module and "
			"--function", name);
	else if (has && !loads)
		message("nothing was recorded: %s is linked statically, and libspoor.so cannot be loaded into it. Link it "
			"dynamically, or with -fspoor-runtime", name);
	else if (has)
		message("nothing was recorded, though %s has sleds: what was said before tells why, or 'spoor doctor %s' "
			"does", name, name);
	else
		message("nothing was recorded: %s has no sleds that spoor could wake. Build it and its "
			"libraries with CC=spoor-cc CXX=spoor-c++; what it starts has to be given LD_PRELOAD, which 'env -i' "
			"and sudo drop; where it begins a container, say --container=DIR; spoor-record(1) says more", name);
}
