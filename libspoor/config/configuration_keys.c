/* SPDX-License-Identifier: MIT */
/* configuration_keys.c - the table of the configuration's keys. */
#include "config/configuration_keys.h"

#define AT(field) offsetof(struct spoor_configuration, field)
#define ROOM(field) sizeof(((struct spoor_configuration *)0)->field)

const struct spoor_key_field spoor_key_fields[KEY_COUNT] = {
	[KEY_MODE] = { { "mode", SPOOR_KEY_TEXT, 0, 0, "'log': all events, 'ring': each thread's last "
			"events, 'count': numbers of calls, 'order': first calls, or 'off': dormant until spoor_enable()" }, 0, 0 },
	[KEY_MODULES] = { { "modules", SPOOR_KEY_TEXT, 0, 0, "patterns for the modules to trace" },
			  AT(modules), ROOM(modules) },
	[KEY_FUNCTIONS] = { { "functions", SPOOR_KEY_TEXT, 0, 0, "patterns for the functions to trace" },
			    AT(functions), ROOM(functions) },
	[KEY_TRACEPOINTS] = { { "tracepoints", SPOOR_KEY_TEXT, 0, 0, "patterns for static tracepoints, such as "
				"'provider:name*', or 'none'" }, AT(tracepoints), ROOM(tracepoints) },
	[KEY_ARGS] = { { "args", SPOOR_KEY_TEXT, 0, 0, "functions whose arguments are stored, such as 'parse*' or "
			 "'open(path:s,flags:x)'" }, AT(args), ROOM(args) },
	[KEY_RETVAL] = { { "retval", SPOOR_KEY_TEXT, 0, 0, "functions whose results are stored, such as 'parse*'" },
			 AT(retval), ROOM(retval) },
	[KEY_LIBRARY_CALLS] = { { "library_calls", SPOOR_KEY_TEXT, 0, 0, "patterns for libraries whose calls are "
				  "recorded without sleds, such as 'libc*,libz*:inflate*'" },
				AT(library_calls), ROOM(library_calls) },
	[KEY_CPU_TIME] = { { "cpu_time", SPOOR_KEY_TEXT, 0, 0, "functions that store the thread's processor time with "
			     "each entry and exit, such as 'handle*'" }, AT(cpu_time), ROOM(cpu_time) },
	[KEY_TRACE_PATH] = { { "trace_path", SPOOR_KEY_TEXT, 0, 0, "the trace directory; ~ and $VAR are expanded" },
			     AT(trace_path), ROOM(trace_path) },
	[KEY_HANDLER] = { { "handler", SPOOR_KEY_TEXT, 0, 0, "a library whose handler gets each event; writes no "
			    "trace; ~ and $VAR are expanded" }, AT(handler), ROOM(handler) },
	[KEY_COMPRESSION] = { { "compression_strategy", SPOOR_KEY_TEXT, 0, 0, "'packed' (or 'snappy', which means "
				"the same), or 'none': 8 bytes per event" },
			      0, 0 },
	[KEY_SESSION_ID] = { { "session_id", SPOOR_KEY_NUMBER, 0, UINT64_MAX,
			       "the ID that all processes of a session share, such as the ranks of a job; "
			       "default: random" }, AT(session_id), 0 },
	[KEY_FLUSH_ALL] = { { "flush_all_events", SPOOR_KEY_BOOLEAN, 0, 0, "false: keep only each thread's last "
			      "events, as in mode 'ring'" },
			    AT(flush_all_events), 0 },
	[KEY_THREAD_EVENTS] = { { "thread_event_buffer_capacity", SPOOR_KEY_NUMBER, 0, POOL_EVENTS_MOST,
				  "events of one thread that may wait for the disk; 0: no limit" },
				AT(thread_events), 0 },
	[KEY_RESERVED_SLICE] = { { "max_reserved_event_buffer_slice_capacity", SPOOR_KEY_NUMBER, SLICE_EVENTS_LEAST,
				   SPOOR_SLICE_WORDS, "events of a slice of the reserved part" },
				 AT(reserved_slice_events), 0 },
	[KEY_DYNAMIC_SLICE] = { { "max_dynamic_event_buffer_slice_capacity", SPOOR_KEY_NUMBER, SLICE_EVENTS_LEAST,
				  SPOOR_SLICE_WORDS, "events of a slice of the dynamic part" },
				AT(dynamic_slice_events), 0 },
	[KEY_RESERVED_POOL] = { { "reserved_event_pool_capacity", SPOOR_KEY_NUMBER, 0, POOL_EVENTS_MOST,
				  "number of events with memory from the start" }, AT(reserved_events), 0 },
	[KEY_DYNAMIC_POOL] = { { "dynamic_event_pool_capacity", SPOOR_KEY_NUMBER, POOL_EVENTS_LEAST, POOL_EVENTS_MOST,
				 "number of events with memory on demand" }, AT(pool_events), 0 },
	[KEY_BORROW_ATTEMPTS] = { { "dynamic_event_slice_borrow_cas_attempts", SPOOR_KEY_NUMBER, 0, UINT32_MAX,
				    "lost races for a slice before an event is dropped; 0: no limit" },
				  AT(borrow_attempts), 0 },
	[KEY_FLUSH_ATTEMPTS] = { { "max_flush_buffer_to_file_attempts", SPOOR_KEY_NUMBER, 0, UINT32_MAX,
				   "failed writes, one each 0.2 s, before events are dropped; 0: no limit" },
				 AT(flush_attempts), 0 },
	[KEY_RETENTION] = { { "event_buffer_retention_duration_nanoseconds", SPOOR_KEY_NUMBER, 0, INT64_MAX,
			      "in mode 'ring', how long an ended thread's events are kept" }, AT(retention_ns), 0 },
	[KEY_TIME_STAMP_COUNTER] = { { "time_stamp_counter", SPOOR_KEY_BOOLEAN, 0, 0,
				       "false: always take times of events from CLOCK_MONOTONIC" },
				     AT(time_stamp_counter), 0 },
	[KEY_FLUSH_SIGNAL] = { { "flush_signal", SPOOR_KEY_TEXT, 0, 0,
				 "a signal that requests a flush: 'SIGUSR1', '10' or 'SIGRTMIN+3', or 'none'" },
			       AT(flush_signal), ROOM(flush_signal) },
	[KEY_TRIGGER] = { { "trigger", SPOOR_KEY_TEXT, 0, 0,
			    "calls that take too long, such as 'parse*>10ms', or 'none'" },
			  AT(trigger), ROOM(trigger) },
	[KEY_TRIGGER_BEFORE] = { { "trigger_before_ms", SPOOR_KEY_NUMBER, 0, 3600000,
				   "milliseconds before such a call to keep in mode 'ring'" },
				 AT(trigger_before_ms), 0 },
	[KEY_TRIGGER_AFTER] = { { "trigger_after_ms", SPOOR_KEY_NUMBER, 0, 3600000,
				  "milliseconds after such a call is noticed to keep in mode 'ring'" },
				AT(trigger_after_ms), 0 },
	[KEY_TRIGGER_COUNT] = { { "trigger_count", SPOOR_KEY_NUMBER, 1, UINT32_MAX,
				  "number of such calls after which the search ends" }, AT(trigger_count), 0 },
	[KEY_RECORDER] = { { "recorder", SPOOR_KEY_TEXT, 0, 0, "set by spoor record" }, AT(recorder), ROOM(recorder) },
	[KEY_START] = { { "start", SPOOR_KEY_NUMBER, 0, INT64_MAX, "set by spoor record" }, AT(start_ns), 0 },
};
