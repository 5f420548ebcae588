/* SPDX-License-Identifier: MIT */
/* check_module.c - spoor doctor: checks whether one executable or library can be recorded. */
#include <inttypes.h>
#include <sys/statvfs.h>

#include "doctor/doctor.h"
#include "doctor/findings.h"
#include "reader/symbols/symbol_dwarf.h"

bool doctor_is_executable_there(const char *path)
{
	struct statvfs status;

	return statvfs(path, &status) < 0 || !(status.f_flag & ST_NOEXEC);
}

/* Reports the sleds of a module with a stub that cannot be patched. */
static void report_unpatched_sleds(const char *name, const struct elf_facts *facts)
{
	const struct {
		uint64_t count;
		const char *why;
	} reasons[] = {
		{ facts->of_other_kind, "custom or typed events of XRay, which are no calls" },
		{ facts->conditional, "exits before a conditional jump, which clang 14 makes with -Os: build with a newer "
				      "clang" },
		{ facts->on_stack, "tail calls through memory on the stack" },
		{ facts->unexpected, "not the bytes of a sled: was the file changed after it was linked?" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].count)
			finding(FINDING_NOTE, "%s: %" PRIu64 " sled%s not patched: %s", name, reasons[i].count,
				reasons[i].count == 1 ? " is" : "s are", reasons[i].why);
}

static void report_names(const char *name, const struct elf_facts *facts)
{
	if (!facts->is_described && !facts->has_symbols && facts->has_debug_info && symbol_dwarf_missing())
		finding(FINDING_NOTE, "%s: has no symbols, and its debug information cannot be read: %s", name,
			symbol_dwarf_missing());
	else if (!facts->is_described && !facts->has_symbols && !facts->has_debug_info)
		finding(FINDING_NOTE, "%s: was stripped, so functions that it does not export are shown by address: "
			"install its debug file, or strip only with -R .comment -g", name);
	if (!facts->build_id_bytes)
		finding(FINDING_NOTE, "%s: has no build-id, so the tools may confuse it with another build: link "
			"with "
			"-Wl,--build-id", name);
}

bool doctor_module(const char *name, const struct elf_facts *facts)
{
	bool has_sleds = facts->sleds && facts->functions && facts->has_stub;

	if (has_sleds)
		finding(FINDING_GOOD, "%s: %" PRIu64 " function%s with sleds", name, facts->functions,
			facts->functions == 1 ? "" : "s");
	else if (facts->sleds && !facts->functions)
		finding(FINDING_PROBLEM, "%s: has XRay's own sleds and no function table: compile it with spoor-cc "
			"or "
			"spoor-c++ instead of -fxray-instrument", name);
	else if (facts->sleds)
		finding(FINDING_PROBLEM, "%s: has sleds and was linked without spoor's stub, so its calls are not "
			"recorded: "
			"link it with spoor-cc or spoor-c++", name);
	if (has_sleds)
		report_unpatched_sleds(name, facts);
	if (facts->calls_hooks)
		finding(FINDING_GOOD, "%s: its functions call hooks (-finstrument-functions)", name);
	if (facts->calls_runtime)
		finding(FINDING_GOOD, "%s: its functions call the runtime (-fspoor-mode=call)", name);
	if (facts->notes_first_runs)
		finding(FINDING_GOOD, "%s: notes only the first call of each function (-fspoor-mode=order)", name);
	if (facts->unlisted_functions)
		finding(FINDING_NOTE, "%s: %" PRIu64 " function%s no unwind entry, for example %s, and cannot be recorded if "
			"%s: compile with -fasynchronous-unwind-tables", name, facts->unlisted_functions,
			facts->unlisted_functions == 1 ? " has" : "s have",
			facts->unlisted_function ? facts->unlisted_function : "one without a name",
			facts->calls_hooks ? "they call hooks" : "they note first calls");
	if (has_sleds)
		report_names(name, facts);
	if (facts->asleep)
		finding(FINDING_NOTE, "%s: was built to start dormant: recording starts when it calls %s", name,
			facts->asleep & SPOOR_ASLEEP_NOT_INITIALIZED ? "spoor_initialize() and spoor_enable()"
								     : "spoor_enable()");
	return has_sleds || facts->calls_hooks || facts->calls_runtime || facts->notes_first_runs;
}
