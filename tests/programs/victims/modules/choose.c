/* SPDX-License-Identifier: MIT */
/*
 * choose.c - obeys its arguments one after the other, and prints the values that the
 * runtime returned:
 *
 *   call=N                      calls each function of the libraries N times
 *   on=MODULES:FUNCTIONS        spoor_functions_enable; an empty part is null
 *   off=MODULES:FUNCTIONS       spoor_functions_disable
 *   on  off                     spoor_enable, spoor_disable
 *   state                       spoor_is_enabled
 *   text                        prints the functions of all modules whose text differs from
 *                               the file
 *   open=FILE                   dlopen
 *   many=N                      N different choices
 *   again=N                     a few choices N times; prints how many KiB memory grew
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spoor.h"
#include "../common/work.h"

#pragma weak spoor_enable
#pragma weak spoor_disable
#pragma weak spoor_is_enabled
#pragma weak spoor_functions_enable
#pragma weak spoor_functions_disable

void names_call_all(int times);
int loaded_calls(int times);

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static void print_differences(const char *name, uintptr_t base, const char *file, const ElfW(Phdr) *segment)
{
	const char *memory = (const char *)base + segment->p_vaddr;
	const char *last = "";

	for (size_t i = 0; i < segment->p_filesz; i++) {
		Dl_info info;

		if (memory[i] == file[segment->p_offset + i])
			continue;
		if (!dladdr(memory + i, &info) || !info.dli_sname)
			info.dli_sname = "?";
		if (strcmp(last, info.dli_sname) != 0)
			printf("text %s %s\n", name, info.dli_sname);
		last = info.dli_sname;
	}
}

UNTRACED static int each_module(struct dl_phdr_info *module, size_t size, void *unused)
{
	const char *path = module->dlpi_name[0] ? module->dlpi_name : "/proc/self/exe";
	const char *name = module->dlpi_name[0] ? strrchr(path, '/') + 1 : "choose";
	int fd = open(path, O_RDONLY);
	struct stat status;
	char *file;

	(void)size;
	(void)unused;
	if (fd < 0)
		return 0;
	if (fstat(fd, &status) < 0)
		abort();
	file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	for (int i = 0; i < module->dlpi_phnum; i++) {
		if (module->dlpi_phdr[i].p_type == PT_LOAD && (module->dlpi_phdr[i].p_flags & PF_X))
			print_differences(name, module->dlpi_addr, file, &module->dlpi_phdr[i]);
	}
	munmap(file, (size_t)status.st_size);
	return 0;
}

UNTRACED static void choose(const char *what, long (*function)(const char *, const char *), char *argument)
{
	char *functions = strchr(argument, ':');

	/* A library pattern has no colon, a function pattern may have some. */
	*functions++ = '\0';
	printf("%s %ld\n", what, function(*argument ? argument : NULL, *functions ? functions : NULL));
}

UNTRACED static void many(int times)
{
	char pattern[32];

	for (int i = 0; i < times; i++) {
		snprintf(pattern, sizeof(pattern), "none_%d", i);
		spoor_functions_enable("libloaded*", pattern);
	}
}

UNTRACED static long private_kib(void)
{
	long resident, shared;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*d %ld %ld", &resident, &shared) != 2)
		abort();
	fclose(file);
	return (resident - shared) * 4;
}

UNTRACED static void again(int times)
{
	long before = 0;

	for (int i = 0; i < times; i++) {
		spoor_functions_enable("libloaded*", "loaded_value");
		spoor_functions_disable("lib*", "loaded_*");
		spoor_functions_disable(NULL, NULL);
		if (i == times / 10)
			before = private_kib();
	}
	printf("grew %ld\n", private_kib() - before);
}

UNTRACED int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char *argument = strchr(argv[i], '=');

		if (argument)
			*argument++ = '\0';
		if (strcmp(argv[i], "call") == 0) {
			names_call_all(atoi(argument));
			loaded_calls(atoi(argument));
			for (int j = 0; j < atoi(argument); j++)
				leaf();
		} else if (strcmp(argv[i], "on") == 0 && argument) {
			choose("on", spoor_functions_enable, argument);
		} else if (strcmp(argv[i], "off") == 0 && argument) {
			choose("off", spoor_functions_disable, argument);
		} else if (strcmp(argv[i], "on") == 0) {
			printf("on %ld\n", spoor_enable());
		} else if (strcmp(argv[i], "off") == 0) {
			printf("off %ld\n", spoor_disable());
		} else if (strcmp(argv[i], "state") == 0) {
			printf("state %d\n", spoor_is_enabled());
		} else if (strcmp(argv[i], "text") == 0) {
			dl_iterate_phdr(each_module, NULL);
		} else if (strcmp(argv[i], "many") == 0) {
			many(atoi(argument));
		} else if (strcmp(argv[i], "again") == 0) {
			again(atoi(argument));
		} else if (strcmp(argv[i], "open") == 0) {
			if (!dlopen(argument, RTLD_NOW))
				abort();
		} else {
			return 2;
		}
	}
	return 0;
}
