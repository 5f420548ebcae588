/* SPDX-License-Identifier: MIT */
/*
 * spoor.h - the interface of libspoor.so, for C and C++.
 *
 * A program needs none of it to be traced. Link with -lspoor, or refer to the
 * functions weakly and run with or without LD_PRELOAD=libspoor.so.
 */
#ifndef SPOOR_H
#define SPOOR_H

#include "spoor_attributes.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a handler is called for. */
enum spoor_handler_event {
	SPOOR_HANDLER_ENTRY = 1,
	SPOOR_HANDLER_EXIT = 2,
	SPOOR_HANDLER_TAIL_EXIT = 3,
};

/*
 * A handler - called instead of logging, in the thread and at the place of the event.
 * @function_id: module ID in the upper 32 bits, local function ID in the lower
 * @event:       enum spoor_handler_event
 *
 * The calls of traced functions that it makes itself are not reported to it.
 */
typedef void spoor_handler(uint64_t function_id, int event);

enum spoor_handler_flags {
	/* The handler and all that it calls was compiled with -mgeneral-regs-only and
	 * is not traced itself: the vector registers are not saved around it, and
	 * nothing looks whether it is being called already. */
	SPOOR_HANDLER_GENERAL_REGISTERS_ONLY = 1 << 0,
};

/*
 * spoor_set_handler - calls @handler at every event from now on.
 * @handler: null goes back to logging
 * @flags:   enum spoor_handler_flags, or 0
 *
 * Return: 0, or -EINVAL for an unknown flag, -ESHUTDOWN where the runtime is off.
 *
 * Context: any thread, not signal handlers.
 */
int spoor_set_handler(spoor_handler *handler, unsigned int flags);

/*
 * spoor_enable, spoor_disable - patches what the configuration chooses, or
 * makes every sled dormant.
 *
 * Return: how many functions changed (>= 0), or -ESHUTDOWN.
 *
 * Context: any thread, while others run in the very functions. Not signal handlers.
 */
long spoor_enable(void);
long spoor_disable(void);

/*
 * spoor_functions_enable, spoor_functions_disable - the same for a choice.
 * @modules:   patterns over soname, file name, or path if a pattern has a '/'; null for all
 * @functions: patterns over linkage and demangled names; null for all
 *
 * Patterns are comma-separated globs, taken left to right; the last that
 * matches wins, a leading '-' excludes, and a list that begins with '-' begins
 * with everything. Modules that are loaded later follow the last calls too.
 *
 * Return: how many functions changed (>= 0), -EINVAL for a malformed pattern, -ESHUTDOWN.
 *
 * Context: as spoor_enable.
 */
long spoor_functions_enable(const char *modules, const char *functions);
long spoor_functions_disable(const char *modules, const char *functions);

/* Whether any sled is patched. Context: any, signal-safe. */
int spoor_is_enabled(void);

#ifdef __cplusplus
}
#endif

#endif
