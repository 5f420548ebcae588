/* SPDX-License-Identifier: MIT */
/* check_process.c - spoor doctor: checks whether a running process is recorded, or can be. */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/status_page_format.h"
#include "doctor/doctor.h"
#include "doctor/findings.h"
#include "attach/find_pool.h"
#include "base/system/namespaces.h"
#include "attach/target.h"

static void check_namespaces(pid_t process_id)
{
	char root[PATH_MAX];

	namespaces_root(process_id, root);
	if (*root)
		finding(FINDING_NOTE, "process %d: its root directory is %s: 'spoor record --pid' puts libspoor.so "
			"there if needed, "
			"and 'spoor record --container=%s' starts a program there", (int)process_id, root, root);
	else if (namespaces_differ(process_id, "mnt"))
		finding(FINDING_NOTE, "process %d: it is in another mount namespace, such as a container's: its "
			"paths are those "
			"inside, and the trace keeps their symbols", (int)process_id);
	if (namespaces_differ(process_id, "pid"))
		finding(FINDING_NOTE, "process %d: it is in another PID namespace (its ID there is %d): the trace "
			"has both IDs",
			(int)process_id, (int)namespaces_inner_process(process_id));
	if (namespaces_differ(process_id, "net"))
		finding(FINDING_NOTE, "process %d: it is in another network namespace: 'spoor record --pid' hands "
			"it a connection to "
			"the recorder, and 'spoor record --container' does so from the start", (int)process_id);
}

/* Tells if the process was started with libspoor.so in LD_PRELOAD. */
static bool was_preloaded(pid_t process_id)
{
	char path[64], *variable = NULL;
	bool found = false;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)process_id);
	file = fopen(path, "re");
	while (file && getdelim(&variable, &room, '\0', file) > 0)
		found |= strncmp(variable, "LD_PRELOAD=", 11) == 0 && strstr(variable, "libspoor.so");
	free(variable);
	if (file)
		fclose(file);
	return found;
}

/* Checks the modules that the process has mapped. */
static void check_modules(const struct target *target)
{
	unsigned int recorded = 0;
	char process[32];

	snprintf(process, sizeof(process), "/proc/%d", (int)target->pid);
	for (size_t i = 0; i < target->image_count; i++) {
		const struct target_image *image = &target->images[i];
		char path[NAMESPACES_PATH_MAX];
		struct elf_facts facts;

		namespaces_mapped_file(process, image->path, path);
		if (image->path[0] == '/' && !elf_facts_read_path(&facts, path)) {
			recorded += doctor_module(image->path, &facts);
			elf_facts_free(&facts);
		}
	}
	if (!recorded)
		finding(FINDING_PROBLEM, "process %d: cannot be recorded: none of its modules has sleds. Build it "
			"and its "
			"libraries with CC=spoor-cc CXX=spoor-c++", (int)target->pid);
}

static void check_untraced(pid_t process_id)
{
	struct target target;

	if (was_preloaded(process_id))
		finding(FINDING_PROBLEM, "process %d: was started with libspoor.so in LD_PRELOAD and has not loaded "
			"it: it "
			"changed its user, is linked statically, or is in a container without libspoor.so (try "
			"'spoor doctor PROGRAM')", (int)process_id);
	if (target_open(&target, process_id) < 0)
		return;
	finding(FINDING_PROBLEM, "process %d: has no libspoor.so, so it is not recorded: 'spoor record --pid %d' "
		"attaches "
		"to it", (int)process_id, (int)process_id);
	check_modules(&target);
	target_close(&target);
}

static void check_runtime(const struct live_pool *live)
{
	char path[NAMESPACES_PATH_MAX];
	struct elf_facts facts = { 0 };

	namespaces_mapped_file(live->thread, live->runtime, path);
	if (strncmp(live->runtime, "/memfd:", 7) == 0 || strstr(live->runtime, "/.spoor-"))
		finding(FINDING_GOOD, "process %d: has the libspoor.so that 'spoor record --pid' loaded",
			(int)live->process_id);
	else if (elf_facts_read_path(&facts, path))
		finding(FINDING_NOTE, "process %d: its libspoor.so, %s, no longer exists: spoor was reinstalled "
			"since",
			(int)live->process_id, live->runtime);
	else if (strcmp(facts.runtime, PACKAGE_VERSION) != 0)
		finding(FINDING_PROBLEM, "process %d: has libspoor.so of spoor %s, and this is spoor " PACKAGE_VERSION
			": restart it", (int)live->process_id, *facts.runtime ? facts.runtime : "?");
	else
		finding(FINDING_GOOD, "process %d: has %s", (int)live->process_id, live->runtime);
	elf_facts_free(&facts);
}

static void check_functions(const struct live_pool *live, const struct spoor_status_page *status_page)
{
	uint32_t count = __atomic_load_n(&status_page->module_count, __ATOMIC_ACQUIRE);
	bool any = false;

	for (uint32_t i = 0; i < count && i < SPOOR_STATUS_MODULES_MAX; i++) {
		const struct spoor_status_page_module *module = &status_page->modules[i];
		uint32_t functions = __atomic_load_n(&module->count, __ATOMIC_ACQUIRE);

		any |= functions > 0;
		if (functions)
			finding(module->enabled ? FINDING_GOOD : FINDING_NOTE, "%.*s: %u of %u functions are enabled",
				(int)sizeof(module->name.text), module->name.text, module->enabled, functions);
	}
	if (!any)
		finding(FINDING_PROBLEM, "process %d: has loaded no module with sleds: build it with CC=spoor-cc "
			"CXX=spoor-c++", (int)live->process_id);
	else if (!status_page->enabled)
		finding(FINDING_PROBLEM, "process %d: no function is enabled, so no call is recorded: use 'spoor "
			"ctl %d enable "
			"PATTERNS', or 'spoor ctl %d mode log' if the mode is off", (int)live->process_id,
			(int)live->process_id, (int)live->process_id);
}

static void check_pool(const struct live_pool *live)
{
	const struct spoor_status_page *status_page = spoor_pool_status_page(live->pool);
	uint64_t lost[SPOOR_LOSS_COUNT + 1] = { 0 };
	char name[32];

	snprintf(name, sizeof(name), "process %d", (int)live->process_id);
	finding(strncmp(status_page->mode.text, "off", sizeof(status_page->mode.text)) == 0 ? FINDING_NOTE : FINDING_GOOD,
		"process %d: the mode is '%.*s'; the trace is %.*s", (int)live->process_id, (int)sizeof(status_page->mode.text),
		status_page->mode.text, (int)sizeof(status_page->folder), status_page->folder);
	if (status_page->recorded && !live->recorder)
		finding(FINDING_PROBLEM, "process %d: its recorder has ended, so no process writes its events",
			(int)live->process_id);
	check_functions(live, status_page);
	for (uint32_t cause = 0; cause < SPOOR_LOSS_COUNT; cause++)
		lost[cause] = __atomic_load_n(&live->pool->lost[cause], __ATOMIC_RELAXED);
	doctor_losses(name, lost, strncmp(status_page->mode.text, "ring", sizeof(status_page->mode.text)) == 0);
}

void doctor_process(pid_t process_id)
{
	struct live_pool live;

	if (live_pool_open(&live, process_id))
		return;
	check_namespaces(process_id);
	if (!*live.runtime && !live.pool) {
		check_untraced(process_id);
	} else {
		if (*live.runtime)
			check_runtime(&live);
		if (live.pool)
			check_pool(&live);
		else
			finding(FINDING_NOTE, "process %d: " LIVE_POOL_NONE "; 'spoor record --pid %d' records it",
				(int)process_id, (int)process_id);
	}
	live_pool_close(&live);
}
