/* SPDX-License-Identifier: MIT */
/*
 * gcc_unit.h - what GCC's plugin knows of the unit that it compiles: options, filters and
 * described functions. GCC compiles one unit in a process, so there is one. Needs no header of GCC.
 */
#ifndef SPOOR_GCC_UNIT_H
#define SPOOR_GCC_UNIT_H

#include "text/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function, as the filters and the symbols see it. The strings need to be valid only during a call. */
struct gcc_function {
	const char *linkage_name;
	const char *file, *folder;	/* null: unknown */
	uint32_t line;			/* 0: unknown */
	uint32_t statements;		/* of GIMPLE, after optimisation */
	bool has_loop;
	bool instrumented;
	bool ruled;			/* the filters decide */
	const char *reason;		/* null for none; valid for ever */
	bool (*has_attribute)(void *context, const char *name, const char *value);	/* null: any value */
	void *context;
};

/*
 * gcc_unit_begin - reads spoor_config.toml, the environment and the filters file.
 *
 * Returns 0, or a negative errno with the error in @fault.
 */
int gcc_unit_begin(struct spoor_fault *fault);

/* Names the unit by its source file, unless it has a name. */
void gcc_unit_name(const char *source);

/* Tells if this compilation instruments functions (the option inject_instrumentation). */
bool gcc_unit_is_instrumented(void);

/* Tells if functions get a test of a byte instead of sleds (order mode). */
bool gcc_unit_is_for_order(void);

/* Returns how the program starts untraced: enum spoor_asleep, or 0 if it does not. */
uint32_t gcc_unit_asleep(void);

/* Adds content to the hash that identifies the unit. */
void gcc_unit_hash(const void *bytes, size_t size);

/* Tells if the filters let a function be instrumented. @reason: receives the name of the deciding rule, or null. */
bool gcc_unit_allows(const struct gcc_function *function, const char **reason);

/* Describes the next function: its position in the unit is the number of earlier calls. Returns 0, or -ENOMEM. */
int gcc_unit_add(const struct gcc_function *function);

/* The number of described functions. */
uint32_t gcc_unit_count(void);

/*
 * gcc_unit_finish - computes the unit's ID, writes the symbols file if one is requested, and packs the symbols.
 * @bytes: receives what the section .spoor_symbols contains; the caller frees them
 *
 * Returns 0, or a negative errno with the error in @fault.
 */
int gcc_unit_finish(uint32_t *unit, uint8_t **bytes, size_t *size, struct spoor_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
