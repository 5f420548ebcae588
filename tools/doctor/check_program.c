/* SPDX-License-Identifier: MIT */
/* check_program.c - spoor doctor: checks whether a program that is not running can be recorded. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "doctor/check_libraries.h"
#include "doctor/findings.h"
#include "record/launch.h"
#include "base/installed_paths.h"
#include "format/sled.h"

/* Reports the conditions for AT_SECURE, with which the dynamic loader ignores LD_PRELOAD. */
static void check_privileges(const char *path, const struct stat *status)
{
	struct statvfs mount;
	bool other_user = (status->st_mode & S_ISUID) && status->st_uid != getuid();
	bool other_group = (status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && status->st_gid != getgid();
	bool capable = getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;

	/* In these cases the bits and capabilities have no effect. */
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || (statvfs(path, &mount) == 0 && (mount.f_flag & ST_NOSUID)))
		return;
	if (other_user || other_group)
		finding(FINDING_PROBLEM, "%s: changes its %s when it starts, so the dynamic loader ignores "
			"LD_PRELOAD: run a copy "
			"without that bit", path, other_user ? "user (set-user-ID)" : "group (set-group-ID)");
	else if (capable)
		finding(FINDING_PROBLEM, "%s: has file capabilities (getcap), so the dynamic loader ignores "
			"LD_PRELOAD: run a "
			"copy, which has no capabilities", path);
}

/* Checks the dynamic loader and the libraries. Returns whether all libraries could be listed. */
static bool check_loader(const char *path, const struct elf_facts *facts, bool *recorded)
{
	struct elf_facts ours;
	struct stat their_loader, our_loader;
	bool ok = false;

	if (stat(facts->loader, &their_loader) < 0) {
		finding(FINDING_PROBLEM, "%s: cannot be started: its dynamic loader, %s, is missing", path,
			facts->loader);
		return false;
	}
	if (elf_facts_read_path(&ours, "/proc/self/exe") || !ours.loader || stat(ours.loader, &our_loader) < 0 ||
	    our_loader.st_ino != their_loader.st_ino || our_loader.st_dev != their_loader.st_dev)
		finding(FINDING_NOTE, "%s: has another dynamic loader, %s, so its libraries were not checked", path,
			facts->loader);
	else
		ok = doctor_libraries(ours.loader, path, recorded);
	elf_facts_free(&ours);
	return ok;
}

/* @runs_script: the file is the interpreter of a script, not the program itself. */
static void check_elf(const char *path, const struct elf_facts *facts, bool runs_script)
{
	bool recorded;

	if (!facts->is_64_bit) {
		finding(FINDING_PROBLEM, "%s: is not a 64-bit little-endian program: spoor traces no others", path);
		return;
	}
	if (facts->machine != SPOOR_ELF_MACHINE) {
		finding(FINDING_PROBLEM, "%s: is for another machine (number %d in its header), and this spoor is for %s", path,
			facts->machine, SPOOR_ARCH_NAME);
		return;
	}
	recorded = doctor_module(path, facts);
	if (!facts->is_program && facts->type == ET_DYN) {
		if (!recorded)
			finding(FINDING_PROBLEM, "%s: this library cannot be recorded: it has no sleds. Build it "
				"with "
				"CC=spoor-cc CXX=spoor-c++", path);
		return;
	}
	if (!facts->is_program) {
		finding(FINDING_PROBLEM, "%s: is not linked yet", path);
		return;
	}
	if (!facts->loader && *facts->runtime)
		finding(recorded ? FINDING_GOOD : FINDING_PROBLEM, recorded ?
			"%s: is linked statically, with the code of libspoor.so" :
			"%s: cannot be recorded: it has no sleds. Build it with CC=spoor-cc CXX=spoor-c++", path);
	else if (!facts->loader)
		finding(FINDING_PROBLEM, "%s: is linked statically, so LD_PRELOAD has no effect and no call is "
			"recorded: "
			"link it dynamically, or with -fspoor-runtime", path);
	else if (check_loader(path, facts, &recorded) && !recorded)
		finding(runs_script ? FINDING_NOTE : FINDING_PROBLEM, "%s: neither it nor the libraries with which "
			"it is linked "
			"can be recorded: build them with CC=spoor-cc CXX=spoor-c++ (libraries that it opens later "
			"were not "
			"checked)", path);
}

static void check_file(const char *name, const char *path, int scripts)
{
	struct elf_facts facts;
	struct stat status;
	char interpreter[PATH_MAX];
	const char *wrong;

	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode)) {
		finding(FINDING_PROBLEM, "%s: %s", name, S_ISDIR(status.st_mode) ? "is a directory and not a "
			"trace" : "is not a regular file");
		return;
	}
	if (access(path, R_OK) < 0) {
		finding(FINDING_NOTE, "%s: can be run and not read, so its content was not checked", path);
		check_privileges(path, &status);
		return;
	}
	if (launch_script(path, interpreter)) {
		finding(FINDING_NOTE, "%s: is a script: its interpreter, %s, and programs that it starts are "
			"recorded", path, interpreter);
		if (scripts == LAUNCH_SCRIPTS_MAX)
			finding(FINDING_PROBLEM, "%s: scripts are nested more deeply than the kernel allows", path);
		else if (access(interpreter, X_OK) < 0)
			finding(FINDING_PROBLEM, "%s: %s", interpreter, strerror(errno));
		else
			check_file(interpreter, interpreter, scripts + 1);
		return;
	}
	wrong = elf_facts_read_path(&facts, path);
	if (!facts.is_elf) {
		finding(FINDING_PROBLEM, "%s: %s", path, wrong);
	} else {
		check_elf(path, &facts, scripts > 0);
		check_privileges(path, &status);
	}
	elf_facts_free(&facts);
}

void doctor_program(const char *name)
{
	char path[PATH_MAX];
	struct stat status;

	if (launch_find(name, path) && stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
		if (!doctor_is_executable_there(path))
			finding(FINDING_PROBLEM, "%s: is in a file system that is mounted noexec, so it cannot be "
				"run", path);
		check_file(name, path, 0);
	} else if (!*path) {
		finding(FINDING_PROBLEM, "%s: no such program in PATH, and no such trace or process", name);
	} else if (stat(path, &status) < 0) {
		finding(FINDING_PROBLEM, "%s: %s", name, strerror(errno));
	} else {
		struct elf_facts facts;

		/* A library need not be executable. */
		if (elf_facts_read_path(&facts, path) || facts.is_program)
			finding(FINDING_PROBLEM, "%s: cannot be run: %s", name,
				S_ISREG(status.st_mode) ? "it is not executable (chmod +x)" : "it is not a regular "
				"file");
		else
			check_file(name, path, 0);
		elf_facts_free(&facts);
	}
}
