/* SPDX-License-Identifier: MIT */
/* program_modules.h - the executable and the libraries with which a program starts, or that a process has. */
#ifndef SPOOR_TOOLS_RECORD_PROGRAM_MODULES_H
#define SPOOR_TOOLS_RECORD_PROGRAM_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct program_module {
	char *path;
	char *name;		/* the name by which it was linked, or the file's name */
	bool is_traced;		/* it has sleds, or calls the runtime */
	bool has_table;		/* its function table says which functions are traced */
	bool has_call_slots;	/* its table contains wrappers of library functions */
};

struct program_modules {
	struct program_module *list;	/* the executable comes first */
	size_t count, traced;
	bool has_call_slots;	/* of any module: library functions without sleds can be chosen */
};

/*
 * program_modules_find - lists the modules of a program.
 * @name: searched in PATH
 *
 * Returns whether they are known: not for a script, a program that does not exist, or one whose libraries the
 * loader cannot list. The caller frees @modules in any case.
 */
bool program_modules_find(struct program_modules *modules, const char *name);

/*
 * program_modules_of_process - lists the modules that a process has loaded.
 *
 * Returns whether they are known: not if the process has other files than we, or if a file was removed or replaced.
 * The caller frees @modules in any case.
 */
bool program_modules_of_process(struct program_modules *modules, pid_t process_id);

void program_modules_free(struct program_modules *modules);

#endif
