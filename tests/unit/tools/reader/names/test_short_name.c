/* SPDX-License-Identifier: MIT */
/*
 * test_short_name.c - shortens the names in short_names.tsv, which compilers made from libstdc++, libc++, Boost, Rust,
 * D and Fortran. Each line has the linkage name, the short name, and the short name with parameters if it differs.
 */
#include "reader/names/short_name.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/support/unit.h"
#include "text/readable_name.h"

static FILE *open_table(void)
{
	char path[4096];
	FILE *table;

	snprintf(path, sizeof(path), "%s/tests/unit/tools/reader/names/short_names.tsv", getenv("top_srcdir"));
	table = fopen(path, "r");
	ck_assert_msg(table, "%s", path);
	return table;
}

/* Reads a line of three fields. Returns whether there is one. */
static bool read_line(FILE *table, char line[], size_t size, char *fields[3])
{
	if (!fgets(line, (int)size, table))
		return false;
	line[strcspn(line, "\n")] = '\0';
	fields[0] = line;
	fields[1] = strchr(fields[0], '\t');
	ck_assert_ptr_nonnull(fields[1]);
	*fields[1]++ = '\0';
	fields[2] = strchr(fields[1], '\t');
	ck_assert_ptr_nonnull(fields[2]);
	*fields[2]++ = '\0';
	return true;
}

START_TEST(each_name_of_the_table_becomes_its_short_names)
{
	static char line[65536];
	FILE *table = open_table();
	char *fields[3];
	unsigned int count = 0;

	for (; read_line(table, line, sizeof(line), fields); count++) {
		char *name = short_name(fields[0], false), *with = short_name(fields[0], true);

		ck_assert_str_eq(name, fields[1]);
		ck_assert_str_eq(with, *fields[2] ? fields[2] : fields[1]);
		free(name);
		free(with);
	}
	fclose(table);
	ck_assert_uint_ge(count, 200);
}
END_TEST

START_TEST(no_short_name_is_longer_than_the_readable_one)
{
	static char line[65536];
	FILE *table = open_table();
	char *fields[3];

	while (read_line(table, line, sizeof(line), fields)) {
		char *name = short_name(fields[0], false), *readable = spoor_readable_name(fields[0]);

		/* "{lambda#1}" is longer than Clang's "$_0". */
		if (readable && !strstr(readable, "$_"))
			ck_assert_uint_le(strlen(name), strlen(readable));
		free(readable);
		free(name);
	}
	fclose(table);
}
END_TEST

START_TEST(damaged_and_deep_names_are_shortened_without_a_crash)
{
	static char name[9000];
	size_t length;

	/* f<S<S<...int...>>>, 2,000 levels deep. */
	length = (size_t)snprintf(name, sizeof(name), "_Z1fI");
	for (int i = 0; i < 2000; i++)
		length += (size_t)snprintf(name + length, sizeof(name) - length, "1SI");
	length += (size_t)snprintf(name + length, sizeof(name) - length, "i");
	memset(name + length, 'E', 2001);
	snprintf(name + length + 2001, sizeof(name) - length - 2001, "vv");
	free(short_name(name, true));
	for (size_t end = 0; end < 60; end++) {
		char part[80];

		snprintf(part, sizeof(part), "%.*s", (int)end, "_ZZN3app5parseEiENKUlT_E0_clISt6vectorIiSaIiEEEEDaS0_.part.0");
		free(short_name(part, false));
		free(short_name(part, true));
	}
}
END_TEST

UNIT_MAIN("short_name", each_name_of_the_table_becomes_its_short_names, no_short_name_is_longer_than_the_readable_one,
	  damaged_and_deep_names_are_shortened_without_a_crash)
