/* SPDX-License-Identifier: MIT */
/* test_memory_limit.c - limits of control groups, as files in a root of the test's own. */
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

/* A file of the root that is to be, with what it is in. */
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

/* Return: whether the calling process is in the root now. */
static bool enter(const char *path)
{
	return (chroot(path) == 0 || (unshare(CLONE_NEWUSER) == 0 && chroot(path) == 0)) && chdir("/") == 0;
}

/* What a child says that is in there. */
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

START_TEST(the_least_of_all_groups_of_version_2)
{
	put("/proc/self/cgroup", "0::/slice/unit/inner\n");
	put("/sys/fs/cgroup/slice/unit/inner/memory.max", "max\n");
	put("/sys/fs/cgroup/slice/unit/memory.max", "67108864\n");
	put("/sys/fs/cgroup/slice/memory.max", "134217728\n");
	ck_assert_uint_eq(limit_there(), 67108864);
}
END_TEST

START_TEST(a_container_sees_its_own_at_the_root)
{
	put("/proc/self/cgroup", "5:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n1:name=systemd:/docker/1\n0::/docker/1\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "33554432\n");
	ck_assert_uint_eq(limit_there(), 33554432);
}
END_TEST

START_TEST(of_version_1_the_controller_that_has_memory)
{
	put("/proc/self/cgroup", "9:memorys:/a\n7:hugetlb,memory:/b/c\n0::/\n");
	put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000000\n");
	put("/sys/fs/cgroup/memory/b/c/memory.limit_in_bytes", "3000000\n");
	put("/sys/fs/cgroup/memory/b/memory.limit_in_bytes", "9223372036854771712\n");
	ck_assert_uint_eq(limit_there(), 3000000);
}
END_TEST

START_TEST(without_any_the_machines)
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
		the_least_of_all_groups_of_version_2, a_container_sees_its_own_at_the_root,
		of_version_1_the_controller_that_has_memory, without_any_the_machines,
	};
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(!enter("/"));
	if (waitpid(child, &status, 0) != child || status != 0) {
		puts("a root of one's own asks for root, or for user name spaces");
		return 77;
	}
	return unit_run("memory_limit", make_root, tests, sizeof(tests) / sizeof(*tests));
}
