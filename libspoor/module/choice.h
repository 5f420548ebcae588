/* SPDX-License-Identifier: MIT */
/* choice.h - which functions of a module a pattern list means. */
#ifndef SPOOR_CHOICE_H
#define SPOOR_CHOICE_H

#include "module/registry.h"

/* Whether the module's soname, file name, or path (for patterns with a '/') is chosen. */
bool spoor_choice_module(const struct spoor_instance *instance, const char *modules);

/*
 * spoor_choice_functions - sets or clears the bits of the functions that a list chooses.
 * @bits: by local ID
 * @on:   whether to set or to clear them
 *
 * Names come from the module's file: linkage names, and demangled ones with and
 * without parameters. Reads it whole, 25 ns a function.
 *
 * Return: how many functions were chosen (>= 0), or -ENOENT where the file cannot
 * be read, is another build by now, or has no names; nothing is chosen then.
 *
 * Context: under the registry's lock, with the module mapped and indexed.
 */
long spoor_choice_functions(struct spoor_instance *instance, const char *functions, uint64_t *bits, bool on);

/* Frees what the last choice left to be used again. The module may be another one. */
void spoor_choice_forget(struct spoor_instance *instance);

/*
 * spoor_choice_unmatched - says of the configuration's patterns which matched nothing
 * in this process: one message for modules, one for functions.
 * @where: " in NAME", to be said behind them, or ""
 *
 * Context: at the end, when no more modules come, or that of a recording.
 */
void spoor_choice_unmatched(const char *where);

/* What is matched is noted for other patterns from now on; for those before again, with what they had matched.
 * Choices of functions that were left to be used again are forgotten by the caller. Under the registry's lock. */
void spoor_choice_note_anew(void);
void spoor_choice_note_on(void);

#endif
