/* SPDX-License-Identifier: MIT */
/* test_memory_limit.c - reads the memory limits of control groups from files below a root of the test's. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory_limit.h"
#include "tests/unit/support/unit.h"

static char root[32];

/* Writes @text to a file below the root-to-be, and makes the directories above the file. */
static void put(const char *path, const char *text)
{
	char whole[300];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (char *slash = strchr(whole, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(whole, 0755);
		*slash = '/';
	}
	file = fopen(whole, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

/* Enters the root. Returns whether that succeeded. */
static bool enter(const char *path)
{
	return (chroot(path) == 0 || (unshare(CLONE_NEWUSER) == 0 && chroot(path) == 0)) && chdir("/") == 0;
}

/* Returns the limit that a child inside the root reads. */
static uint64_t limit_there(void)
{
	uint64_t limit = 0;
	char command[64];
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	if (fork() == 0) {
		if (enter(root))
			limit = spoor_memory_limit();
		_exit(write(ends[1], &limit, sizeof(limit)) != sizeof(limit));
	}
	ck_assert_int_eq(read(ends[0], &limit, sizeof(limit)), sizeof(limit));
	snprintf(command, sizeof(command), "rm -rf %s", root);
	ck_assert_int_eq(system(command), 0);
	return limit;
}

static void make_root(void)
{
	strcpy(root, "memory_limit.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
}

START_TEST(the_limit_is_the_least_of_all_groups_of_version_2)
{
	put("/proc/self/cgroup", "0::/slice/unit/inner\n");
	put("/sys/fs/cgroup/slice/unit/inner/memory.max", "max\n");
	put("/sys/fs/cgroup/slice/unit/memory.max", "67108864\n");
	put("/sys/fs/cgroup/slice/memory.max", "134217728\n");
	ck_assert_uint_eq(limit_there(), 67108864);
}
END_TEST

START_TEST(a_container_finds_its_limit_at_the_root)
{
	put("/proc/self/cgroup", "5:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n1:name=systemd:/docker/1\n0::/docker/1\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "33554432\n");
	ck_assert_uint_eq(limit_there(), 33554432);
}
END_TEST

START_TEST(version_1_uses_the_memory_controller)
{
	put("/proc/self/cgroup", "9:memorys:/a\n7:hugetlb,memory:/b/c\n0::/\n");
	put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000000\n");
	put("/sys/fs/cgroup/memory/b/c/memory.limit_in_bytes", "3000000\n");
	put("/sys/fs/cgroup/memory/b/memory.limit_in_bytes", "9223372036854771712\n");
	ck_assert_uint_eq(limit_there(), 3000000);
}
END_TEST

START_TEST(without_a_limit_the_machines_memory_counts)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	put("/proc/self/cgroup", "0::/\nnonsense\n:\n4:memory:\n");
	put("/sys/fs/cgroup/memory.max", "max\n");
	ck_assert_uint_eq(limit_there(), all);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_limit_is_the_least_of_all_groups_of_version_2, a_container_finds_its_limit_at_the_root,
		version_1_uses_the_memory_controller, without_a_limit_the_machines_memory_counts,
	};
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(!enter("/"));
	if (waitpid(child, &status, 0) != child || status != 0) {
		puts("a separate root needs the user root, or user name spaces");
		return 77;
	}
	return unit_run("memory_limit", make_root, tests, sizeof(tests) / sizeof(*tests));
}
