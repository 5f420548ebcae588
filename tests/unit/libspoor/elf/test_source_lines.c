/* SPDX-License-Identifier: MIT */
/* test_source_lines.c - reads the line tables of this program, whole and damaged. */
#define _GNU_SOURCE
#include "elf/source_lines.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/unit.h"

static struct spoor_elf_file file;

struct search {
	uint64_t address, line, runs;
	char path[4096];
};

static bool wants(void *context, uint64_t begin, uint64_t end)
{
	struct search *search = context;

	search->runs++;
	return search->address >= begin && search->address < end;
}

static void each(void *context, uint64_t begin, uint64_t end, const struct spoor_source_place *place)
{
	struct search *search = context;

	(void)begin;
	(void)end;
	search->line = place->line;
	spoor_source_path(place, search->path, sizeof(search->path));
}

/* The function is on a single line, because compilers differ in the line that they give to a function. */
static const int here_line = __LINE__ + 1;
__attribute__((noinline)) static void here(void) { __asm__ volatile(""); }

static int look(struct search *search)
{
	struct spoor_source_visitor visitor = { search, wants, each };

	return spoor_source_lines(&file, &visitor);
}

START_TEST(a_function_has_its_file_and_line)
{
	extern const ElfW(Ehdr) __ehdr_start;
	struct search search = { .address = (uintptr_t)here };
	char *path;

	here();
	if (__ehdr_start.e_type == ET_DYN)
		search.address -= (uintptr_t)&__ehdr_start;
	ck_assert_int_eq(spoor_elf_file_open(&file, "/proc/self/exe"), 0);
	ck_assert_int_eq(look(&search), 0);
	ck_assert_int_eq((int)search.line, here_line);
	ck_assert_str_eq(strrchr(search.path, '/'), "/test_source_lines.c");
	path = realpath(search.path, NULL);
	ck_assert_ptr_nonnull(path);
	free(path);
}
END_TEST

START_TEST(a_file_without_debug_information_has_no_lines)
{
	struct search search = { 0 };

	ck_assert_int_eq(spoor_elf_file_open(&file, "/bin/true"), 0);
	ck_assert_int_eq(look(&search), -ENOENT);
}
END_TEST

START_TEST(damaged_tables_are_read_within_their_bounds_and_to_their_end)
{
	uint64_t bytes, offset;
	const uint8_t *lines;
	uint8_t *copy;

	ck_assert_int_eq(spoor_elf_file_open(&file, "/proc/self/exe"), 0);
	lines = spoor_elf_file_section(&file, ".debug_line", &bytes);
	ck_assert_ptr_nonnull(lines);
	offset = (uint64_t)(lines - file.bytes);
	copy = malloc(file.size);
	ck_assert_ptr_nonnull(memcpy(copy, file.bytes, file.size));
	file.bytes = copy;
	for (uint64_t i = 0; i < bytes && i < 3000; i++) {
		struct search search = { .address = UINT64_MAX };
		uint8_t before = copy[offset + i];

		copy[offset + i] ^= (uint8_t)(1u << i % 8);
		ck_assert_int_eq(look(&search), 0);
		copy[offset + i] = before;
	}
	free(copy);
}
END_TEST

START_TEST(relative_paths_are_joined_with_their_directories)
{
	char path[20];
	struct spoor_source_place place = { "/source", "sub", "a.c", 1 };

	ck_assert_int_eq(spoor_source_path(&place, path, sizeof(path)), 0);
	ck_assert_str_eq(path, "/source/sub/a.c");
	place.directory = "/else/";
	ck_assert_int_eq(spoor_source_path(&place, path, sizeof(path)), 0);
	ck_assert_str_eq(path, "/else/a.c");
	place.file = "/a.c";
	ck_assert_int_eq(spoor_source_path(&place, path, sizeof(path)), 0);
	ck_assert_str_eq(path, "/a.c");
	place = (struct spoor_source_place){ "work", "work", "a.c", 1 };
	ck_assert_int_eq(spoor_source_path(&place, path, sizeof(path)), 0);
	ck_assert_str_eq(path, "work/a.c");
	place.file = "a_file_of_a_long_name.c";
	ck_assert_int_eq(spoor_source_path(&place, path, sizeof(path)), -ENAMETOOLONG);
	ck_assert_str_eq(path, "");
}
END_TEST

UNIT_MAIN("source_lines", a_function_has_its_file_and_line, a_file_without_debug_information_has_no_lines,
	  damaged_tables_are_read_within_their_bounds_and_to_their_end,
	  relative_paths_are_joined_with_their_directories)
