/* SPDX-License-Identifier: MIT */
/*
 * recorded_modules.h - writes to the process file which modules exist, which of their functions stay dormant, and
 * which modules are gone. All functions run under the registry's lock.
 */
#ifndef SPOOR_RECORDED_MODULES_H
#define SPOOR_RECORDED_MODULES_H

#include "module/observer.h"

/* Tells if the module's block is in the trace. */
bool spoor_module_is_recorded(const struct spoor_instance *instance);

/* Writes the module's block and its functions that stay dormant; once in a trace. */
void spoor_module_record(struct spoor_instance *instance);

/* Write a single block. */
void spoor_trace_module_gone(const struct spoor_instance *instance);
void spoor_trace_skipped_sleds(const struct spoor_instance *instance, struct spoor_skipped_sleds skipped_sleds);

/* The trace is over: no module is recorded in the next one yet. */
void spoor_module_records_forget(void);

/* Writes a module's block when it first wakes, its functions that stay dormant when these change, and its end. */
extern const struct spoor_module_observer spoor_record_modules;

#endif
