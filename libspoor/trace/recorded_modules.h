/* SPDX-License-Identifier: MIT */
/*
 * recorded_modules.h - what the process file says of modules: that they are there, what of them stays dormant, and that
 * they are gone. Under the registry's lock.
 */
#ifndef SPOOR_RECORDED_MODULES_H
#define SPOOR_RECORDED_MODULES_H

#include "module/observer.h"

/* Whether the module's block is in the trace. */
bool spoor_module_is_recorded(const struct spoor_instance *instance);

/* Writes the module's block, and what of it is left alone; once in a trace. */
void spoor_module_record(struct spoor_instance *instance);

/* The blocks by themselves. */
void spoor_trace_module_gone(const struct spoor_instance *instance);
void spoor_trace_left_alone(const struct spoor_instance *instance, struct spoor_left_alone left_alone);

/* The trace is over: the next one has no module. */
void spoor_module_records_forget(void);

/* Writes a module's block when it first wakes, what is left alone when that changes, and that it is gone. */
extern const struct spoor_module_observer spoor_record_modules;

#endif
