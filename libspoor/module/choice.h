/* SPDX-License-Identifier: MIT */
/* choice.h - matches the functions of a module against a pattern list. */
#ifndef SPOOR_CHOICE_H
#define SPOOR_CHOICE_H

#include "module/registry.h"

/* Tells if the list chooses the module by its soname, file name, or path (for patterns with a '/'). */
bool spoor_choice_module(const struct spoor_instance *instance, const char *modules);

/*
 * spoor_choice_functions - sets or clears the bits of the functions that a list chooses.
 * @bits: by local ID
 * @on:   whether to set or to clear the bits
 *
 * Names come from the module's file: linkage names, and demangled names with and
 * without parameters. Reads the whole symbol table, 25 ns a function.
 *
 * Returns the number of chosen functions, or
 *   -ENOENT   the file is unreadable, is another build by now, or has no names; no bit changes
 *   -ENOMEM
 *
 * Context: under the registry's lock, with the module mapped and indexed.
 */
long spoor_choice_functions(struct spoor_instance *instance, const char *functions, uint64_t *bits, bool on);

/* Frees the module's cached choice: another module may take its place. */
void spoor_choice_forget(struct spoor_instance *instance);

/*
 * spoor_choice_unmatched - warns about the configuration's patterns that matched nothing
 * in this process: one message for modules, one for functions.
 * @where: " in NAME", appended to the messages, or ""
 *
 * Context: at the end of the process, when no more modules come, or of a recording.
 */
void spoor_choice_unmatched(const char *where);

/*
 * spoor_choice_note_anew sets the noted matches aside and notes matches of other patterns from now on.
 * spoor_choice_note_on restores the first patterns with their matches. The caller forgets the cached
 * choices. Under the registry's lock.
 */
void spoor_choice_note_anew(void);
void spoor_choice_note_on(void);

#endif
