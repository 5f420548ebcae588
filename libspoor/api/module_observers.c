/* SPDX-License-Identifier: MIT */
/*
 * module_observers.c - the features that follow modules, in the order in which they are called.
 *
 * Before a module wakes, its captured functions are chosen, then the trace is begun, then the mode is prepared, then
 * the module is recorded. A trace that begins records all modules with their captures.
 */
#include "api/module_observers.h"

#include "capture/captured_modules.h"
#include "handler/handler_library.h"
#include "handler/xray_in_use.h"
#include "library_calls/call_slots.h"
#include "mode/mode.h"
#include "mode/order_modules.h"
#include "mode/trigger.h"
#include "trace/disabled_functions.h"
#include "trace/flush_signal.h"
#include "trace/recorded_modules.h"
#include "trace/status_page.h"
#include "trace/trace.h"

static void begin_flush_signal(struct spoor_instance *instance)
{
	(void)instance;
	spoor_flush_signal_begin();
}

static int begin_trace(struct spoor_instance *instance, const uint64_t *target)
{
	(void)instance;
	(void)target;
	return spoor_mode_is_elsewhere() ? 0 : spoor_trace_begin();
}

static const struct spoor_module_observer trace_modules = {
	.added = begin_flush_signal,
	.waking = begin_trace,
};

const struct spoor_module_observer *const spoor_module_observers[] = {
	&spoor_capture_modules,
	&trace_modules,
	&spoor_mode_modules,
	&spoor_xray_modules,
	&spoor_record_modules,
	&spoor_trigger_modules,
	&spoor_disabled_modules,
	&spoor_handler_modules,
	&spoor_call_slot_modules,
	&spoor_order_observer,
	&spoor_status_page_modules,
	NULL,
};
