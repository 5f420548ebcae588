/* SPDX-License-Identifier: MIT */
/*
 * trace_facts.c - prints the contents of a trace as lines that a script can search.
 *
 * The program shares only the headers of the formats and the unpacking with the tools, so an error in one does not
 * hide in the other. Each line is one fact, with fields separated by tabs. FOLDER is the folder of the process in the
 * trace:
 *
 *   process   FOLDER PID PARENT ended|cut
 *   module    FOLDER PATH FUNCTIONS loaded|gone
 *   alone     FOLDER PATH other-kind unexpected conditional stack no-function out-of-reach
 *   foreign   FOLDER PATH SLEDS stub|name-space
 *   thread    FOLDER TID SERIAL ENTRIES EXITS OPEN NAME
 *   function  FOLDER FILE NAME ENTRIES EXITS UNWOUND
 *   lost      FOLDER CAUSE EVENTS
 *   loser     FOLDER TID SERIAL EVENTS
 *   user      FOLDER TID TYPE PAYLOAD1 PAYLOAD2 TIME
 *   named     FOLDER TID SERIAL NAME
 *   type      FOLDER TYPE PAYLOAD-KIND NAME
 *   string    FOLDER ID TEXT
 *   trigger   FOLDER TID NUMBER open|ended COUNTS
 *   mode      FOLDER NUMBER
 *   roots     FOLDER TID SERIAL whole|cut NAME,NAME,... (the outermost first)
 *   torn      FOLDER FILE BYTES
 *
 * Exit status: 0, or 1 if the trace contradicts itself: a wrong checksum, a word of an unknown module and, unless -n
 * is given, a missing slice or an exit that does not match the innermost open function. (A forked child leaves
 * functions that its parent entered.)
 *
 * trace_facts_files.c reads the files of a process, and trace_facts_walk.c the events of its threads.
 */
#define _GNU_SOURCE
#include "trace_facts.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct facts facts;
static int faults;

void fault(const char *format, ...)
{
	va_list arguments;

	if (faults++ > 20)
		return;
	fprintf(stderr, "trace_facts: %s: ", facts.folder);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

void *grow(void *array, size_t count, size_t size)
{
	/* The capacity is a power of two. */
	if (count & (count - 1))
		return array;
	array = realloc(array, (count ? 2 * count : 1) * size);
	if (!array)
		abort();
	return array;
}

struct module *module_of(uint32_t index)
{
	for (size_t i = 0; i < facts.module_count; i++) {
		if (index - facts.modules[i].record.base < facts.modules[i].record.count)
			return &facts.modules[i];
	}
	return NULL;
}

static void print_roots(void)
{
	for (size_t i = 0; i < facts.root_count; i++) {
		const struct spoor_roots *record = facts.roots[i].record;
		const struct spoor_root *root = (const struct spoor_root *)(const void *)(record + 1);

		printf("roots\t%s\t%u\t%u\t%s\t", facts.folder, facts.roots[i].thread_id, record->thread_serial,
		       record->flags & SPOOR_ROOTS_CUT ? "cut" : "whole");
		for (uint32_t j = 0; j < record->count; j++) {
			const struct module *module = module_of(root[j].index);
			const char *name = module ? module->names[root[j].index - module->record.base] : NULL;

			printf("%s%s", j ? "," : "", name ? name : "?");
		}
		putchar('\n');
	}
}

static void print_modules(void)
{
	for (size_t i = 0; i < facts.module_count; i++) {
		const struct module *module = &facts.modules[i];
		const struct spoor_skipped_sleds *alone = &module->alone;
		const char *file = strrchr(module->path, '/');

		printf("module\t%s\t%s\t%u\t%s\n", facts.folder, module->path, module->record.count,
		       module->gone ? "gone" : "loaded");
		if (alone->other_kind | alone->unexpected_bytes | alone->conditional_jump | alone->stack_operand |
		    alone->no_function | alone->out_of_reach)
			printf("alone\t%s\t%s\t%u\t%u\t%u\t%u\t%u\t%u\n", facts.folder, module->path, alone->other_kind,
			       alone->unexpected_bytes, alone->conditional_jump, alone->stack_operand,
			       alone->no_function, alone->out_of_reach);
		for (uint32_t local = 0; local < module->record.count; local++) {
			if (module->entries[local] || module->exits[local])
				printf("function\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", facts.folder,
				       file ? file + 1 : module->path,
				       module->names[local] ? module->names[local] : "?", module->entries[local],
				       module->exits[local], module->unwound[local]);
		}
	}
}

static void read_folder(const char *trace, const char *name)
{
	static const char *const causes[] = { "pool", "thread", "hole", "write", "thread-full", "cleared", "limit" };
	char path[PATH_MAX];

	facts.folder = name;
	facts.module_count = facts.slice_count = facts.name_count = facts.root_count = 0;
	facts.modules = NULL;
	facts.slices = NULL;
	facts.names = NULL;
	facts.roots = NULL;
	memset(facts.lost, 0, sizeof(facts.lost));
	facts.ended = false;
	facts.process_id = facts.parent_id = -1;
	facts_read_blocks(trace, SPOOR_PROCESS_FILE);
	printf("process\t%s\t%ld\t%ld\t%s\n", facts.folder, facts.process_id, facts.parent_id,
	       facts.ended ? "ended" : "cut");
	facts_read_blocks(trace, SPOOR_EVENTS_FILE);
	facts_read_pool(trace);
	snprintf(path, sizeof(path), "%s/%ld", trace, facts.parent_id);
	facts.forked = access(path, F_OK) == 0;
	facts_walk_threads();
	print_modules();
	print_roots();
	for (int cause = 0; cause < SPOOR_LOSS_COUNT; cause++) {
		if (facts.lost[cause])
			printf("lost\t%s\t%s\t%" PRIu64 "\n", facts.folder, causes[cause], facts.lost[cause]);
	}
}

/* All data stays allocated until the end, so leak detection is off. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

int main(int argc, char **argv)
{
	const char *trace = argv[argc - 1];
	struct dirent *entry;
	DIR *directory;

	facts.any_nesting = argc == 3 && strcmp(argv[1], "-n") == 0;
	directory = argc == 2 || facts.any_nesting ? opendir(trace) : NULL;
	if (!directory) {
		fprintf(stderr, "usage: trace_facts [-n] TRACE (%s)\n", argc > 1 ? strerror(errno) : "none given");
		return 2;
	}
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			read_folder(trace, entry->d_name);
	}
	closedir(directory);
	return faults ? 1 : 0;
}
