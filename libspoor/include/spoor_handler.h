/* SPDX-License-Identifier: MIT */
/*
 * spoor_handler.h - the interface of a handler library, which libspoor.so calls at each event.
 * With it, other measurement systems receive spoor's events.
 *
 * The user names the library by SPOOR_RUNTIME_HANDLER=libmine.so, by `handler` in the
 * configuration file, or by `spoor record --handler libmine.so`. The library defines
 * spoor_handler_library.
 */
#ifndef SPOOR_HANDLER_H
#define SPOOR_HANDLER_H

#include "spoor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPOOR_HANDLER_LIBRARY_VERSION 1

/* A function whose events may come from now on. Unknown members are null or 0. */
struct spoor_handler_function {
	size_t size;			/* of this struct; it only grows at its end */
	uint64_t id;			/* as in events: module ID << 32 | position; the same in every run */
	const void *address;		/* in this process */
	const char *linkage_name;	/* as in the symbol table: "_ZN3foo3barEi" */
	const char *name;		/* demangled: "foo::bar(int)"; C names are unchanged */
	const char *module;		/* path of the executable or library */
	const char *file;		/* source file and line of its first instruction, from debug information */
	uint32_t line;
};

/*
 * The functions of a handler library. All but `event` may be null. An `event` with flags must
 * preserve errno; around the other functions the runtime preserves it.
 */
struct spoor_handler_library {
	size_t size;			/* of this struct, in the library's version of this header */
	uint32_t version;		/* SPOOR_HANDLER_LIBRARY_VERSION */
	uint32_t flags;			/* enum spoor_handler_flags, of `event` */

	/*
	 * Called once, after the runtime loaded the library: when the first module with sleds
	 * is registered. A process without sleds never loads it. The runtime traces no function before.
	 *
	 * Return: 0, or another value: then the runtime traces no function, and prints a message.
	 */
	int (*begin)(void);

	/*
	 * Called for each function before its first event, and again if its module was unloaded
	 * and loaded again. The strings are valid during the call only.
	 *
	 * Context: any thread, several at the same time, on a stack of 1 MiB with signals
	 * blocked. The thread may be inside dlopen or inside a function of spoor.h.
	 */
	void (*function)(const struct spoor_handler_function *function);

	/*
	 * Called for each event.
	 *
	 * Context: any thread, several at the same time; signal handlers too.
	 */
	spoor_handler *event;

	/*
	 * Called after a module was unloaded, but not at the end of the process. Its functions'
	 * addresses may belong to another module from now on. Context: as `function`.
	 */
	void (*module_gone)(uint32_t module_id, const char *path);

	/*
	 * Called once, at the end of the process, in the order of atexit handlers: before the
	 * destructors of objects that the library's constructors and `begin` made, and after
	 * those of objects made later, such as a function's static object. No event follows,
	 * except in threads that are inside `event` already. Each forked child calls it for
	 * itself. _exit and fatal signals skip it.
	 *
	 * @unreported: number of this process's events that came while their thread was inside
	 *              a function of the library: calls of traced functions by the library
	 *              itself, and by signal handlers
	 */
	void (*end)(uint64_t unreported);
};

/*
 * spoor_handler_library - the one function that the library defines.
 * @version: SPOOR_HANDLER_LIBRARY_VERSION of the runtime
 *
 * Return: a struct that stays valid for the life of the process; null if the library cannot work
 * with @version.
 */
#if defined __GNUC__
__attribute__((visibility("default")))
#endif
const struct spoor_handler_library *spoor_handler_library(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
