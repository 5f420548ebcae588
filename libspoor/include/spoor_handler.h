/* SPDX-License-Identifier: MIT */
/*
 * spoor_handler.h - what a library offers that is called with each event: the way
 * in for other measurement systems.
 *
 * SPOOR_RUNTIME_HANDLER=libmine.so (or `handler` in the configuration file, or
 * `spoor record --handler libmine.so`) names it. It defines spoor_handler_library.
 */
#ifndef SPOOR_HANDLER_H
#define SPOOR_HANDLER_H

#include "spoor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPOOR_HANDLER_LIBRARY_VERSION 1

/* A function that may be called from now on. What is null, or 0, is not known. */
struct spoor_handler_function {
	size_t size;			/* of this struct; it only grows at its end */
	uint64_t id;			/* as events have it: module ID << 32 | position, the same in every run */
	const void *address;		/* in this process */
	const char *linkage_name;	/* as the symbol table has it: "_ZN3foo3barEi" */
	const char *name;		/* demangled: "foo::bar(int)"; a name of C as it is */
	const char *module;		/* path of the executable or library */
	const char *file;		/* where its code begins, as the debug information (-g, -g1) has it */
	uint32_t line;
};

/*
 * What the library is. Each function but `event` may be null. All leave errno as it
 * was, but for those that spoor.h's flags allow any C.
 */
struct spoor_handler_library {
	size_t size;			/* of this struct, as the library knows it */
	uint32_t version;		/* SPOOR_HANDLER_LIBRARY_VERSION */
	uint32_t flags;			/* enum spoor_handler_flags, of `event` */

	/*
	 * Once, after the library was loaded, which is when the first module with sleds is:
	 * not in a process without. Nothing is traced before.
	 * Return: 0; otherwise nothing is traced, and a message says so.
	 */
	int (*begin)(void);

	/*
	 * For each function before the first of its events, and again where its module
	 * was unloaded and came back. All strings are gone afterwards.
	 *
	 * Context: any thread, several at a time, on a stack of a megabyte with signals
	 * blocked; the thread may be within dlopen, or within a call of spoor.h's.
	 */
	void (*function)(const struct spoor_handler_function *function);

	/*
	 * For each event.
	 * Context: any thread, several at a time, signal handlers too.
	 */
	spoor_handler *event;

	/* After a module was unloaded, but at the end of the process: its functions'
	 * addresses may be another's. Context: as `function`. */
	void (*module_gone)(uint32_t module_id, const char *path);

	/*
	 * Once, before the destructors of what the library's own constructors, and begin, have
	 * made, in the order of atexit's functions; what is made later (a function's static
	 * object) is gone by then. No event comes afterwards, but those that other threads
	 * are in. Forked children have theirs. _exit and fatal signals leave it out.
	 * @unreported: events of this process that came while their thread was in `event`
	 *              or in another of these functions: those of traced functions
	 *              that the library itself calls, and those of signal handlers
	 */
	void (*end)(uint64_t unreported);
};

/* What the library defines. Return: what stays for good; null where it cannot work with @version. */
#if defined __GNUC__
__attribute__((visibility("default")))
#endif
const struct spoor_handler_library *spoor_handler_library(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
