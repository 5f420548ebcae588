/* SPDX-License-Identifier: MIT */
/*
 * trace_names.h - stores the names of functions in a trace, so that the trace stays readable when its files are built
 * again.
 *
 * spoor record does this when the recording ends, for the functions that occur. Other traces get their names from the
 * first command that reads them: the trace of a process that ran without spoor record, or whose recorder was killed.
 * Such a command does not know which functions occur, so it stores all names of the modules.
 */
#ifndef SPOOR_READER_TRACE_NAMES_H
#define SPOOR_READER_TRACE_NAMES_H

#include "format/function_set.h"
#include "reader/files/trace_reader.h"

/* An empty file in the folder of packed files: names are not to be stored by commands that read the trace. */
#define TRACE_NAMES_OFF "off"

/* Not empty in the environment: the same for all commands, and for spoor record. */
#define TRACE_NAMES_VARIABLE "SPOOR_NO_SYMBOLS"

/*
 * trace_names_note - notes which functions of an open process occur in the trace.
 * @seen: those in its events; null: any may be
 *
 * Returns 0 or -ENOMEM.
 */
int trace_names_note(const struct process *process, const struct spoor_function_set *seen);

/*
 * trace_names_store - stores the names of the noted functions, or without trace_names_note of all functions.
 * @modules: of the trace's processes
 *
 * Skips modules with stored names, and modules whose files are missing or are other builds. Has no effect if another
 * command does the same, or if the trace belongs to another user (root acts as that user). Writes no message.
 *
 * Returns null, or the error, without a full stop.
 */
const char *trace_names_store(const struct trace *trace, struct symbol_cache *modules);

/* Makes the file TRACE_NAMES_OFF. Returns 0 or a negative errno. */
int trace_names_turn_off(const char *trace_path);

/* Does trace_names_store for a command that reads the trace, unless the trace is being recorded, or the user or the
 * environment (TRACE_NAMES_VARIABLE) forbids it. */
void trace_names_keep(const struct trace *trace, struct symbol_cache *modules);

#endif
