/* SPDX-License-Identifier: MIT */
/* check_installation.c - spoor doctor: checks whether this system can trace programs at all. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/warning.h"
#include "config/configuration.h"
#include "doctor/doctor.h"
#include "doctor/findings.h"
#include "base/installed_paths.h"
#include "format/pool_format.h"
#include "reader/symbols/symbol_dwarf.h"
#include "reader/files/trace_reader.h"
#include "attach/target.h"

#define LITTLE_DISK (64ull << 20)	/* bytes; less free space is a problem */

/* Returns the first number in a file of /proc or /sys, or -1. */
static long kernel_number(const char *path)
{
	FILE *file = fopen(path, "re");
	long number = -1;

	if (file && fscanf(file, "%ld", &number) != 1)
		number = -1;
	if (file)
		fclose(file);
	return number;
}

static void check_runtime(const char *path)
{
	struct elf_facts facts;
	const char *wrong = elf_facts_read_path(&facts, path);

	if (wrong)
		finding(FINDING_PROBLEM, "%s: %s: no program can be traced: reinstall spoor", path, wrong);
	else if (strcmp(facts.runtime, PACKAGE_VERSION) != 0)
		finding(FINDING_PROBLEM, "%s: belongs to spoor %s, and this is spoor " PACKAGE_VERSION ": install "
			"both from one "
			"build", path, *facts.runtime ? facts.runtime : "of an unknown version");
	else if (!doctor_is_executable_there(path))
		finding(FINDING_PROBLEM, "%s: is in a file system that is mounted noexec, so no program can load "
			"it: install spoor "
			"elsewhere", path);
	else if (strpbrk(path, ": "))
		finding(FINDING_PROBLEM, "%s: LD_PRELOAD accepts no path with a space or a colon: install spoor "
			"elsewhere", path);
	else
		finding(FINDING_GOOD, "%s: has this version, " PACKAGE_VERSION, path);
	elf_facts_free(&facts);
}

static void check_parts(void)
{
	static const struct {
		enum spoor_part part;
		const char *name;
	} parts[] = {
		{ SPOOR_PART_STUB, "libspoor_dso.a, which spoor-cc links programs with" },
		{ SPOOR_PART_PLUGIN, "libspoor_instrumentation.so, which spoor-cc compiles with" },
	};
	char path[PATH_MAX];
	int error = spoor_part_path(SPOOR_PART_RUNTIME, path, sizeof(path));

	if (error)
		finding(FINDING_PROBLEM, "libspoor.so is missing%s%s: %s: no program can be traced: reinstall spoor",
			*path ? ", at " : "", path, strerror(-error));
	else
		check_runtime(path);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		error = spoor_part_path(parts[i].part, path, sizeof(path));
		if (error)
			finding(FINDING_NOTE, "%s, is missing%s%s: programs can be traced, but not compiled for "
				"tracing",
				parts[i].name, *path ? ", at " : "", path);
		else
			finding(FINDING_GOOD, "%s", path);
	}
}

/* Makes a page of mapped code writable and executable again, as the runtime does. */
static void check_text(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char path[PATH_MAX];
	int fd = spoor_part_path(SPOOR_PART_RUNTIME, path, sizeof(path)) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	void *text = mmap(NULL, (size_t)page, PROT_READ | PROT_EXEC, fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, fd, 0);

	if (fd >= 0)
		close(fd);
	if (text == MAP_FAILED || mprotect(text, (size_t)page, PROT_READ | PROT_WRITE | PROT_EXEC) < 0 ||
	    ((*(volatile char *)text = *(volatile char *)text), mprotect(text, (size_t)page, PROT_READ | PROT_EXEC)) < 0)
		finding(FINDING_PROBLEM, "code cannot be made writable (%s), so sleds stay dormant: %s",
			strerror(errno),
			kernel_number("/sys/fs/selinux/enforce") == 1 ? "SELinux forbids it; 'ausearch -m avc' shows the rule "
									"(execmod)"
								      : "a sandbox forbids it (MemoryDenyWriteExecute?)");
	else
		finding(FINDING_GOOD, "code can be made writable, so sleds can be woken");
	if (text != MAP_FAILED)
		munmap(text, (size_t)page);
}

static void check_memory(const struct spoor_configuration *configuration)
{
	uint64_t bytes = spoor_pool_bytes(spoor_configuration_reserved_slices(configuration) +
					  spoor_configuration_dynamic_slices(configuration));
	struct rlimit limit;
	int fd;

	/* The file is sparse, but the limit applies to its length. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes) {
		finding(FINDING_PROBLEM, "the limit for files is %llu KiB (ulimit -f), and the pool needs %llu: "
			"raise the limit, or "
			"make the pool smaller (libspoor(7))", (unsigned long long)limit.rlim_cur / 1024,
			(unsigned long long)bytes / 1024);
		return;
	}
	fd = memfd_create("spoor doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
		finding(FINDING_PROBLEM, "cannot share memory with the recorder (memfd_create): %s", strerror(errno));
	else
		finding(FINDING_GOOD, "memory for a pool of %llu MiB can be shared with the recorder",
			(unsigned long long)(bytes / 2) >> 20);
	if (fd >= 0)
		close(fd);
}

static void check_configuration(struct spoor_configuration *configuration)
{
	char said[1024] = "";

	spoor_warning_divert(said, sizeof(said));
	if (spoor_configuration_read(configuration) < 0) {
		spoor_warning_divert(NULL, 0);
		said[strcspn(said, "\n")] = '\0';
		finding(FINDING_PROBLEM, "the environment's configuration is invalid, so no program is traced: %s",
			said);
		return;
	}
	spoor_warning_divert(NULL, 0);
	if (configuration->mode == SPOOR_MODE_OFF)
		finding(FINDING_NOTE, "the mode is 'off': recording starts when the program calls spoor_enable()");
	for (uint32_t i = 0; spoor_configuration_key(i); i++) {
		const char *key = spoor_configuration_key(i)->name;

		if (configuration->origins[i] != SPOOR_ORIGIN_DEFAULT && strcmp(key, "modules") == 0)
			finding(FINDING_NOTE, "the environment restricts recording to these modules: %s",
				configuration->modules);
		if (configuration->origins[i] != SPOOR_ORIGIN_DEFAULT && strcmp(key, "functions") == 0)
			finding(FINDING_NOTE, "the environment restricts recording to these functions: %s",
				configuration->functions);
	}
	check_memory(configuration);
}

/* Checks the directory of the next trace. The recorder itself checks an existing trace of that name. */
static void check_place(void)
{
	struct statvfs space;

	if (statvfs(".", &space) < 0)
		finding(FINDING_PROBLEM, "cannot examine the working directory: %s", strerror(errno));
	else if (space.f_flag & ST_RDONLY)
		finding(FINDING_PROBLEM, "the working directory is read-only: choose another place for the trace with -o");
	else if (access(".", W_OK | X_OK) < 0)
		finding(FINDING_PROBLEM, "no trace can be created in the working directory (%s): choose another "
			"place with -o",
			strerror(errno));
	else if ((uint64_t)space.f_bavail * space.f_frsize < LITTLE_DISK)
		finding(FINDING_PROBLEM, "the working directory's disk has only %llu KiB left: choose another place "
			"for the trace with "
			"-o", (unsigned long long)space.f_bavail * space.f_frsize / 1024);
	else
		finding(FINDING_GOOD, "a trace can be created in the working directory");
}

static void check_sandbox(void)
{
	long scope = kernel_number("/proc/sys/kernel/yama/ptrace_scope");

	if (target_status(getpid(), "Seccomp", 10) > 0)
		finding(FINDING_NOTE, "spoor and the programs that it starts run under a seccomp filter: if the "
			"filter rejects "
			"mprotect or memfd_create, no event is recorded");
	if (geteuid() != 0 && scope > 0)
		finding(FINDING_NOTE, "only root may attach to running processes "
			"(/proc/sys/kernel/yama/ptrace_scope is "
			"%ld)", scope);
}

static void check_names(void)
{
	const char *missing = symbol_dwarf_missing();

	if (missing)
		finding(FINDING_NOTE, "debug information cannot name functions without a symbol: %s", missing);
	else
		finding(FINDING_GOOD, "debug information names functions without a symbol");
}

void doctor_installation(void)
{
	static struct spoor_configuration configuration;

	check_parts();
	check_configuration(&configuration);
	check_text();
	check_place();
	check_sandbox();
	check_names();
}
