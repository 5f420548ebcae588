/* SPDX-License-Identifier: MIT */
/* check_libraries.c - spoor doctor: checks the libraries with which a program is linked. */
#include "doctor/check_libraries.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/loader_list.h"
#include "doctor/doctor.h"
#include "doctor/findings.h"
#include "base/installed_paths.h"

#define NAMES_SHOWN 6
#define XRAY_LIBRARY "libspoor_xray.so"

struct libraries {
	const char *program;
	struct stat runtime;		/* libspoor.so; zero if it is missing */
	bool preloaded, recorded;	/* the loader found libspoor.so; a library can be recorded */
	unsigned int count, bare;	/* all libraries; those without sleds */
	char bare_names[512];
};

static void check_library(struct libraries *libraries, const char *name, const char *path)
{
	struct elf_facts facts;
	struct stat status;
	const char *wrong;

	if (stat(path, &status) == 0 && status.st_ino == libraries->runtime.st_ino &&
	    status.st_dev == libraries->runtime.st_dev) {
		libraries->preloaded = true;
		return;
	}
	if (strcmp(name, XRAY_LIBRARY) == 0) {
		finding(FINDING_NOTE, "%s: is linked with " XRAY_LIBRARY ": its events go to its own XRay tool and "
			"are not recorded",
			libraries->program);
		return;
	}
	wrong = elf_facts_read_path(&facts, path);
	libraries->count++;
	if (wrong) {
		finding(FINDING_PROBLEM, "%s: %s", path, wrong);
	} else if (doctor_module(path, &facts)) {
		libraries->recorded = true;
	} else if (!facts.sleds) {
		size_t used = strlen(libraries->bare_names);

		if (libraries->bare++ < NAMES_SHOWN)
			snprintf(libraries->bare_names + used, sizeof(libraries->bare_names) - used, "%s%.60s",
				 used ? ", " : "", name);
	}
	elf_facts_free(&facts);
}

static void take_library(void *context, const char *name, const char *path)
{
	struct libraries *libraries = context;

	if (!name)
		finding(FINDING_PROBLEM, "%s: the dynamic loader reports: %s", libraries->program, path);
	else if (!path)
		finding(FINDING_PROBLEM, "%s: cannot be started: %s is not found (check LD_LIBRARY_PATH and "
			"ldconfig)",
			libraries->program, name);
	else
		check_library(libraries, name, path);
}

/* Returns the environment with libspoor.so first in LD_PRELOAD, or NULL without memory. The caller frees both. */
static char **make_preload_environment(const char *runtime, char **variable)
{
	size_t count = 0, to = 1;
	const char *others = getenv("LD_PRELOAD");
	char **list_libraries;

	while (environ[count])
		count++;
	list_libraries = calloc(count + 2, sizeof(*list_libraries));
	if (!list_libraries || asprintf(variable, "LD_PRELOAD=%s%s%s", runtime, others && *others ? ":" : "",
			      others ? others : "") < 0) {
		free(list_libraries);
		return NULL;
	}
	list_libraries[0] = *variable;
	for (size_t i = 0; i < count; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0)
			list_libraries[to++] = environ[i];
	return list_libraries;
}

static bool list_libraries(struct libraries *libraries, const char *loader, char **environment)
{
	int error = loader_list(loader, libraries->program, environment, take_library, libraries);

	if (error > 0)
		finding(FINDING_PROBLEM, "%s: cannot list the libraries of %s: %s", loader, libraries->program,
			strerror(error));
	return !error;
}

static void report_bare_libraries(const struct libraries *libraries)
{
	if (libraries->bare)
		finding(FINDING_NOTE, "%s: of %u linked libraries, %u %s no sleds and cannot be "
			"recorded: %s%s", libraries->program, libraries->count, libraries->bare,
			libraries->bare == 1 ? "has" : "have", libraries->bare_names,
			libraries->bare > NAMES_SHOWN ? ", ..." : "");
}

bool doctor_libraries(const char *loader, const char *program, bool *recorded)
{
	struct libraries libraries = { .program = program };
	char runtime[PATH_MAX], *variable = NULL, **environment = environ;
	/* doctor_installation reports a missing libspoor.so. */
	bool has_runtime = !spoor_part_path(SPOOR_PART_RUNTIME, runtime, sizeof(runtime)) &&
			   !stat(runtime, &libraries.runtime);
	bool listed;

	if (has_runtime)
		environment = make_preload_environment(runtime, &variable);
	if (!environment) {
		finding(FINDING_PROBLEM, "%s: out of memory for the list of its libraries", program);
		return false;
	}
	listed = list_libraries(&libraries, loader, environment);
	if (has_runtime && libraries.preloaded)
		finding(FINDING_GOOD, "%s: the dynamic loader loads libspoor.so into it", program);
	else if (has_runtime && listed)
		finding(FINDING_PROBLEM, "%s: the dynamic loader does not load %s into it", program, runtime);
	report_bare_libraries(&libraries);
	if (has_runtime)
		free(environment);
	free(variable);
	*recorded |= libraries.recorded;
	return listed;
}
