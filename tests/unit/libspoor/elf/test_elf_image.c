/* SPDX-License-Identifier: MIT */
/* test_elf_image.c - reads the ELF image of this program from memory, from its file, and from damaged copies. */
#define _GNU_SOURCE
#include "elf/elf_image.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/module_path.h"
#include "tests/unit/support/unit.h"

static struct spoor_elf_file file;

static void open_self(void)
{
	ck_assert_int_eq(spoor_elf_file_open(&file, "/proc/self/exe"), 0);
}

START_TEST(memory_and_file_agree_on_the_build_id)
{
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	struct spoor_image image;
	Dl_info info;

	open_self();
	ck_assert(dladdr((void *)(uintptr_t)open_self, &info));
	spoor_image_read(info.dli_fbase, &image);
	ck_assert_uint_eq(spoor_elf_file_build_id(&file, build_id), image.build_id_bytes);
	ck_assert_mem_eq(build_id, image.build_id, image.build_id_bytes);
}
END_TEST

START_TEST(a_library_has_its_soname_and_bias)
{
	struct link_map *map;
	struct spoor_image image;
	void *libc = dlopen("libc.so.6", RTLD_NOW);

	ck_assert_int_eq(dlinfo(libc, RTLD_DI_LINKMAP, &map), 0);
	spoor_image_read((void *)map->l_addr, &image);
	ck_assert_str_eq(image.soname, "libc.so.6");
	ck_assert_uint_eq(image.load_bias, map->l_addr);
}
END_TEST

START_TEST(a_function_is_found_by_name_at_its_address)
{
	uint64_t address, seen_address = 0;
	struct spoor_elf_symbols symbols;
	struct spoor_image image;
	const char *name;
	Dl_info info;

	open_self();
	ck_assert(dladdr((void *)(uintptr_t)open_self, &info));
	spoor_image_read(info.dli_fbase, &image);
	ck_assert_int_eq(spoor_elf_symbols_begin(&symbols, &file), 0);
	while ((name = spoor_elf_symbols_next(&symbols, &address)))
		if (strcmp(name, "open_self") == 0)
			seen_address = address;
	ck_assert_uint_eq(seen_address + image.load_bias, (uint64_t)(uintptr_t)open_self);
}
END_TEST

/* Calls every function of elf_image on untrusted bytes. */
static void use(const struct spoor_elf_file *bytes)
{
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	struct spoor_elf_symbols symbols;
	uint64_t address, sum = 0;
	const char *name;

	if (spoor_elf_file_check(bytes) < 0)
		return;
	spoor_elf_file_build_id(bytes, build_id);
	spoor_elf_file_has_section(bytes, "xray_instr_map", &sum);
	if (spoor_elf_symbols_begin(&symbols, bytes) == 0)
		while ((name = spoor_elf_symbols_next(&symbols, &address)))
			sum += address + strlen(name);
}

START_TEST(a_file_cut_anywhere_is_read_within_its_bounds)
{
	open_self();
	for (size_t size = 0; size < file.size; size += size < 4096 ? 1 : 997) {
		struct spoor_elf_file cut = { .size = size };
		uint8_t *copy = malloc(size + 1);

		cut.bytes = memcpy(copy, file.bytes, size);
		use(&cut);
		free(copy);
	}
}
END_TEST

START_TEST(a_damaged_header_is_read_within_its_bounds)
{
	uint8_t *copy;

	open_self();
	copy = malloc(file.size);
	for (int seed = 0; seed < 3000; seed++) {
		struct spoor_elf_file damaged = { copy, file.size };
		ElfW(Ehdr) header;

		memcpy(copy, file.bytes, file.size);
		memcpy(&header, copy, sizeof(header));
		srandom((unsigned int)seed);
		for (int i = 0; i < 4; i++) {
			size_t at = random() % 3 ? 16 + (size_t)random() % 48
				    : header.e_shoff + (size_t)random() % (header.e_shnum * sizeof(ElfW(Shdr)));

			copy[at] = (uint8_t)random();
		}
		use(&damaged);
	}
	free(copy);
}
END_TEST

START_TEST(a_file_in_another_format_is_ENOEXEC)
{
	ck_assert_int_eq(spoor_elf_file_open(&file, "/dev/null"), -ENOEXEC);
	ck_assert_int_eq(spoor_elf_file_open(&file, "/proc/self/cmdline"), -ENOEXEC);
	ck_assert_int_eq(spoor_elf_file_open(&file, "/no/such/file"), -ENOENT);
}
END_TEST

/* If this test hangs, check's time limit ends it. */
START_TEST(opening_a_FIFO_does_not_block)
{
	char path[] = "/tmp/test_elf_image.XXXXXX", fifo[64];

	ck_assert_ptr_nonnull(mkdtemp(path));
	snprintf(fifo, sizeof(fifo), "%s/fifo", path);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_int_eq(spoor_elf_file_open(&file, fifo), -ENOEXEC);
	ck_assert_int_eq(unlink(fifo), 0);
	ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(an_object_has_a_canonical_path)
{
	char folder[] = "/tmp/test_elf_image.XXXXXX", link[64], path[PATH_MAX], expected[PATH_MAX];

	ck_assert_ptr_nonnull(realpath("/proc/self/exe", expected));
	ck_assert_str_eq(spoor_executable_path(), expected);
	ck_assert(spoor_object_path("", path));
	ck_assert_str_eq(path, expected);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(link, sizeof(link), "%s/link", folder);
	ck_assert_int_eq(symlink(expected, link), 0);
	ck_assert(spoor_object_path(link, path));
	ck_assert_str_eq(path, expected);
	ck_assert_int_eq(unlink(link), 0);
	ck_assert_int_eq(rmdir(folder), 0);
	ck_assert(!spoor_object_path("/no/such/file", path));
	ck_assert_str_eq(path, "");
}
END_TEST

UNIT_MAIN("elf_image", memory_and_file_agree_on_the_build_id, a_library_has_its_soname_and_bias,
	  a_function_is_found_by_name_at_its_address, a_file_cut_anywhere_is_read_within_its_bounds,
	  a_damaged_header_is_read_within_its_bounds, a_file_in_another_format_is_ENOEXEC,
	  opening_a_FIFO_does_not_block, an_object_has_a_canonical_path)
