/* SPDX-License-Identifier: MIT */
/*
 * installed_paths.c - finds the files of spoor that its programs need: the runtime, the stub, the
 * plugin.
 *
 * The Makefile.am of this folder passes the configured directories: SPOOR_BINDIR, SPOOR_LIBDIR,
 * SPOOR_PLUGINDIR, SPOOR_PKGLIBDIR; and SPOOR_OTHER_ARCH.
 */
#include "base/installed_paths.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct part {
	const char *built;	/* relative to the build folder */
	const char *directory;	/* where it is installed, as configured */
	const char *name;
};

#define PLUGIN "libspoor_instrumentation.so"

static const struct part parts[SPOOR_PART_COUNT] = {
	[SPOOR_PART_RUNTIME] = {"libspoor/.libs/libspoor.so", SPOOR_LIBDIR, "libspoor.so"},
	[SPOOR_PART_ARCHIVE] = {"libspoor/libspoor.a", SPOOR_LIBDIR, "libspoor.a"},
	[SPOOR_PART_TRAP] = {"libspoor/trap/.libs/libspoor_trap.so", SPOOR_LIBDIR, "libspoor_trap.so"},
	[SPOOR_PART_STUB] = {"libspoor_dso/libspoor_dso.a", SPOOR_LIBDIR, "libspoor_dso.a"},
	[SPOOR_PART_STUB_OTHER] = {"libspoor_dso/" SPOOR_OTHER_ARCH "/libspoor_dso.a", SPOOR_PKGLIBDIR "/" SPOOR_OTHER_ARCH,
				   "libspoor_dso.a"},
	[SPOOR_PART_RUNTIME_OTHER] = {"libspoor/" SPOOR_OTHER_ARCH "/libspoor.so", SPOOR_PKGLIBDIR "/" SPOOR_OTHER_ARCH,
				      "libspoor.so"},
	[SPOOR_PART_HEADERS] = {"libspoor/include", SPOOR_PKGLIBDIR, "include"},
	[SPOOR_PART_PLUGIN] = {"pass/.libs/" PLUGIN, SPOOR_PLUGINDIR, PLUGIN},
	[SPOOR_PART_PLUGIN_14] = {"pass/llvm-14/.libs/" PLUGIN, SPOOR_PKGLIBDIR "/llvm-14", PLUGIN},
	[SPOOR_PART_PLUGIN_19] = {"pass/llvm-19/.libs/" PLUGIN, SPOOR_PKGLIBDIR "/llvm-19", PLUGIN},
	[SPOOR_PART_PLUGIN_22] = {"pass/llvm-22/.libs/" PLUGIN, SPOOR_PKGLIBDIR "/llvm-22", PLUGIN},
};

static int check_printed(int length, size_t size)
{
	return length >= 0 && (size_t)length < size ? 0 : -ENAMETOOLONG;
}

/* Removes the last component of @path. Returns whether there was one. */
static int cut_component(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		return 0;
	*slash = '\0';
	return 1;
}

static int ends_with_component(const char *path, const char *component)
{
	const char *slash = strrchr(path, '/');

	return slash && strcmp(slash + 1, component) == 0;
}

/*
 * Returns whether @directory, which holds the program, is the tools/ folder of a build tree. If so,
 * cuts @directory to the top of the tree. Libtool keeps programs that use its shared libraries one
 * level deeper, in .libs/.
 */
static int is_build_tree(char *directory)
{
	char probe[PATH_MAX + sizeof "/config.status"];

	if (ends_with_component(directory, ".libs"))
		cut_component(directory);
	if (!ends_with_component(directory, "tools"))
		return 0;
	cut_component(directory);
	snprintf(probe, sizeof probe, "%s/config.status", directory);
	return access(probe, F_OK) == 0;
}

/* Returns the length of the common beginning of two paths, in whole components. */
static size_t common_prefix(const char *a, const char *b)
{
	size_t same = 0, i = 0;

	for (; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			same = i;
	if ((!a[i] || a[i] == '/') && (!b[i] || b[i] == '/'))
		same = i;
	return same;
}

/*
 * Finds the place of the configured directory @wanted if SPOOR_BINDIR was moved to @actual. Returns
 * -ENOENT if @actual does not end like SPOOR_BINDIR.
 */
static int move_directory(const char *actual, const char *wanted, char *path, size_t size)
{
	size_t same = common_prefix(SPOOR_BINDIR, wanted);
	const char *tail = &SPOOR_BINDIR[same];
	size_t length = strlen(actual), tail_length = strlen(tail);

	if (length < tail_length || strcmp(actual + length - tail_length, tail) != 0)
		return -ENOENT;
	return check_printed(snprintf(path, size, "%.*s%s", (int)(length - tail_length), actual,
				      wanted + same), size);
}

static int find_from(const char *program, const struct part *wanted, char *path, size_t size)
{
	char directory[PATH_MAX], moved[PATH_MAX];
	int result;

	path[0] = '\0';
	result = check_printed(snprintf(directory, sizeof directory, "%s", program),
			       sizeof directory);
	if (result < 0)
		return result;
	cut_component(directory);

	/* is_build_tree cuts its argument, so it gets a copy. */
	strcpy(moved, directory);
	if (is_build_tree(moved)) {
		result = check_printed(snprintf(path, size, "%s/%s", moved, wanted->built), size);
		return result < 0 ? result : access(path, F_OK) == 0 ? 0 : -ENOENT;
	}

	if (move_directory(directory, wanted->directory, moved, sizeof moved) == 0) {
		result = check_printed(snprintf(path, size, "%s/%s", moved, wanted->name), size);
		if (result < 0)
			return result;
		if (access(path, F_OK) == 0)
			return 0;
	}

	/* The last resort. If the part is missing there too, @path keeps the first place, which the message names. */
	result = check_printed(snprintf(moved, sizeof moved, "%s/%s", wanted->directory, wanted->name),
			       sizeof moved);
	if (result < 0)
		return result;
	if (access(moved, F_OK) != 0 && path[0])
		return -ENOENT;
	result = check_printed(snprintf(path, size, "%s", moved), size);
	return result < 0 ? result : access(path, F_OK) == 0 ? 0 : -ENOENT;
}

int spoor_part_path_from(const char *program, enum spoor_part part, char *path, size_t size)
{
	return find_from(program, &parts[part], path, size);
}

static int find(const struct part *part, char *path, size_t size)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

	if (length < 0) {
		path[0] = '\0';
		return -errno;
	}
	program[length] = '\0';
	return find_from(program, part, path, size);
}

int spoor_part_path(enum spoor_part part, char *path, size_t size)
{
	return find(&parts[part], path, size);
}

int spoor_gcc_plugin_path(int major, const char *machine, char *path, size_t size)
{
	bool other = strncmp(machine, SPOOR_OTHER_ARCH, strlen(SPOOR_OTHER_ARCH)) == 0;
	char built[64], directory[PATH_MAX];
	struct part part = {built, directory, "libspoor_gcc.so"};

	snprintf(built, sizeof built, "pass/gcc/gcc-%d%s/.libs/libspoor_gcc.so", major, other ? "-other" : "");
	snprintf(directory, sizeof directory, "%s/gcc-%d-%.*s", SPOOR_PKGLIBDIR, major, (int)strcspn(machine, "-"), machine);
	return find(&part, path, size);
}
