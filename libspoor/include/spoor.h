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

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Unless it is said otherwise a function may be called from any thread, while others
 * log, and not from signal handlers. "Signal-safe" ones may be called from anywhere.
 * All leave errno as it was. -ESHUTDOWN is returned where the configuration, or a
 * process with another's privileges, keeps the runtime off for good, and by the stub
 * library, which has all of this and does nothing.
 */

/*
 * spoor_initialize - takes back a spoor_deinitialize. Nothing to do otherwise: the
 * runtime begins by itself. Enables nothing.
 *
 * Return: 0 or -ESHUTDOWN.
 */
int spoor_initialize(void);

/*
 * spoor_deinitialize - makes every sled dormant, stores no more events, writes all
 * there are, and gives the pool's memory back but for what other threads were using.
 *
 * Return: 0, -ESHUTDOWN, -ETIMEDOUT where a recorder does not answer for ten seconds,
 * or a negative errno of writing. Off it is in any case.
 */
int spoor_deinitialize(void);

/* Whether the runtime began, and was not deinitialised since. Signal-safe. */
int spoor_is_initialized(void);

/* Whether this is the library that does nothing. Signal-safe. */
int spoor_is_stub(void);

/*
 * Types of one's own events have the upper bit set.
 */
#define SPOOR_USER_TYPE_FIRST 0x80000000u

/*
 * spoor_log_event - stores an event of one's own, with the time of the call.
 * spoor_log_event_at - the same with a time of one's own: CLOCK_MONOTONIC
 * nanoseconds, above 0 and below 2^60. It stands among the thread's events where
 * it was logged, and in timelines where its time is.
 *
 * Return: 0; -EINVAL for a type or a time that is none; -ENOBUFS where it is lost, and
 * counted; -ESHUTDOWN also while the runtime is disabled or deinitialised, or counts.
 *
 * Context: signal-safe. About 50 ns.
 */
int spoor_log_event(uint32_t type, uint64_t payload_1, uint32_t payload_2);
int spoor_log_event_at(uint64_t steady_ns, uint32_t type, uint64_t payload_1, uint32_t payload_2);

/*
 * spoor_log_function_entry, spoor_log_function_exit - store what a sled would: a call of a function.
 * @function_id: as handlers get it
 *
 * Return and context: as spoor_log_event.
 */
int spoor_log_function_entry(uint64_t function_id);
int spoor_log_function_exit(uint64_t function_id);

/*
 * spoor_log_scope_begin, spoor_log_scope_end - store the begin and the end of a part of the program
 * that has a name, which the tools show as they show a call; spoor/scope.h calls them.
 * @name: what spoor_intern_string returned
 *
 * Return and context: as spoor_log_event.
 */
int spoor_log_scope_begin(uint64_t name);
int spoor_log_scope_end(uint64_t name);

/*
 * spoor_logs_flag - where to look before a call of these: a byte that is 0 while none of them stores
 * anything. It is read as it is, by any thread, for as long as the process lives.
 *
 * Context: not in signal handlers.
 */
const char *spoor_logs_flag(void);

/* What payload 1 of a type of events is. */
enum spoor_payload {
	SPOOR_PAYLOAD_NUMBER = 0,
	SPOOR_PAYLOAD_STRING = 1,	/* what spoor_intern_string returned */
};

/*
 * spoor_name_event_type - what the tools call events of this type.
 * @payload_1: enum spoor_payload
 *
 * The last name holds for the whole trace.
 *
 * Return: 0, -EINVAL for a type that is spoor's or a name of more than 4095 bytes,
 * -ENOMEM, -ESHUTDOWN.
 */
int spoor_name_event_type(uint32_t type, const char *name, int payload_1);

/*
 * spoor_intern_string - puts a string into the trace, once, and this process's memory.
 *
 * Return: its ID, the same in every run; 0 where it has more than 4095 bytes, or there is
 * no memory, or the runtime is off.
 */
uint64_t spoor_intern_string(const char *string);

/*
 * spoor_name_thread - what the tools call the calling thread, whatever the kernel does.
 *
 * Return: 0, -EINVAL for a name of more than 4095 bytes, -ENOMEM, -ESHUTDOWN.
 */
int spoor_name_thread(const char *name);

/*
 * spoor_flush - writes all that any thread stored before the call.
 * @timeout_ns: how long to wait where a recorder writes; negative: for ever
 *
 * Return: 0, -ETIMEDOUT, -ESHUTDOWN, -EPIPE where the recorder has gone, or a
 * negative errno of writing.
 */
int spoor_flush(int64_t timeout_ns);

/* Called with what spoor_flush would return. */
typedef void spoor_flushed(int error, void *context);

/*
 * spoor_flush_then - the same without waiting: @flushed is called afterwards, in a
 * thread of its own that has all signals blocked.
 *
 * Return: 0, -EINVAL, -ENOMEM, -EAGAIN where there is no thread, -ESHUTDOWN: then it is
 * not called.
 */
int spoor_flush_then(spoor_flushed *flushed, void *context);

/*
 * spoor_clear - drops all events that are stored and not written yet. Each is counted
 * as cleared.
 *
 * Return: 0, -ETIMEDOUT where a recorder does not answer for ten seconds, -ESHUTDOWN.
 */
int spoor_clear(void);

/* One file of a trace: its room on the disk, and the second since 1970 in which it changed. */
typedef void spoor_trace_file_found(const char *path, uint64_t bytes, int64_t modified_s, void *context);

/*
 * spoor_trace_files - calls @found for each file in the trace directory, this
 * process's own too.
 *
 * Return: how many (>= 0), -EINVAL, -ESHUTDOWN, or a negative errno of reading the directory.
 */
long spoor_trace_files(spoor_trace_file_found *found, void *context);

/*
 * spoor_trace_files_delete - deletes what processes left there that have ended.
 * @age_s: those that wrote in the last so many seconds are spared
 * @bytes: where the room on the disk is returned that this gave back; may be null
 *
 * Return: how many files (>= 0), or as above.
 */
long spoor_trace_files_delete(uint64_t age_s, uint64_t *bytes);

/*
 * spoor_configuration_get - the value of a key such as "trace_path", as a string.
 * @value: at most @size bytes of it, with the NUL
 *
 * Return: the whole value's length (>= 0), -ENOENT for no such key, -EINVAL, -ESHUTDOWN.
 */
long spoor_configuration_get(const char *name, char *value, size_t size);

/* The name of the key at a position from 0; null behind the last. Signal-safe. */
const char *spoor_configuration_name(unsigned int position);

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
 * The calls of traced functions that it makes itself are not reported to it. It has to
 * return: where longjmp or a signal handler's siglongjmp leaves it, its thread stays in it,
 * and of that thread's later events no handler is told.
 */
typedef void spoor_handler(uint64_t function_id, int event);

enum spoor_handler_flags {
	/* The handler and all that it calls was compiled with -mgeneral-regs-only and
	 * is not traced itself: the vector registers are not saved around it, and
	 * nothing looks whether it is being called already. On AArch64 it makes no system
	 * call either: Linux clears scalable vectors, but for 128 bits. */
	SPOOR_HANDLER_GENERAL_REGISTERS_ONLY = 1 << 0,
	/* That, and it is declared SPOOR_SAVES_REGISTERS: nothing is saved around it. The
	 * quickest class on x86-64; elsewhere the same as the other. clang takes it for
	 * a function of another type, so it is cast: (spoor_handler *)counts. */
	SPOOR_HANDLER_SAVES_REGISTERS = 1 << 1,
};

/* Of a handler: it keeps every register, those too that a function may change. */
#ifdef __has_attribute
#if __has_attribute(no_caller_saved_registers)
#define SPOOR_SAVES_REGISTERS __attribute__((no_caller_saved_registers))
#endif
#endif
#ifndef SPOOR_SAVES_REGISTERS
#define SPOOR_SAVES_REGISTERS
#endif

/*
 * spoor_set_handler - calls @handler at every event from now on.
 * @handler: null goes back to what the mode does, or to the configuration's handler library
 * @flags:   enum spoor_handler_flags, or 0
 *
 * Return: 0, or -EINVAL for an unknown flag, -ESHUTDOWN where the runtime is off.
 *
 * Context: any thread, not signal handlers.
 */
int spoor_set_handler(spoor_handler *handler, unsigned int flags);

/*
 * spoor_mode_set - what becomes of events from now on, in all threads, while they run.
 * @name: "log": all are stored; "ring": each thread's last ones; "count": how often each
 *        function is called, and nothing else; "order": which functions are called, in the
 *        order of their first calls; "off": as spoor_disable(); "handler": they go again to
 *        the handler that was set last, or that the configuration has
 *
 * No call is left out on the way, or there twice: each is an event or a count. All that
 * was stored before is in the trace; what a ring holds is written when it is left. A
 * handler is set no more. Where a thread may have run unrecorded the trace says so, and
 * its open calls end there. Events of one's own are not stored while calls are counted.
 *
 * Return: 0, -EINVAL for a name that is none, -ESHUTDOWN, also while deinitialised, -EBUSY
 * for all but "off" and "handler" where events go to the configuration's handler library or
 * to XRay's interface, and for "handler" out of mode "order", -ENOENT for "handler" where none
 * was set, or the negative errno of having no room for what the mode needs: then nothing has
 * changed.
 */
int spoor_mode_set(const char *name);

/* The name of the mode in force, whatever handler is set; "off" also after spoor_disable(). It stays. */
const char *spoor_mode_get(void);

/*
 * spoor_enable, spoor_disable - patches what the configuration chooses, or
 * makes every sled dormant. Events of one's own are stored, or not. The trace says so, as a change
 * of the mode.
 *
 * What was dormant so far and wakes has libunwind loaded, if it is there: at its first event
 * each thread then has what it is in written into the trace (libspoor(7)).
 *
 * Modules that were there before this library was opened, and could not find it, are registered by
 * spoor_enable and spoor_functions_enable.
 *
 * Return: how many functions changed (>= 0), or -ESHUTDOWN, also while deinitialised.
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

/*
 * spoor_tracepoints_enable, spoor_tracepoints_disable - switch static tracepoints of spoor/sdt.h that
 * have a semaphore on or off: while they are on each hit is an event.
 * @patterns: over "provider:name"; null for all
 *
 * Those of modules that are loaded later follow the last calls too.
 *
 * Return: how many changed (>= 0), -EINVAL for a malformed pattern, -ESHUTDOWN.
 *
 * Context: as spoor_enable.
 */
long spoor_tracepoints_enable(const char *patterns);
long spoor_tracepoints_disable(const char *patterns);

/* Whether any sled is patched; in a process without sleds, whether events of one's own
 * are stored. Signal-safe. */
int spoor_is_enabled(void);

/* What Spoor's pass injects calls of: the functions above by other names. */
void _spoor_runtime_Initialize(void);
void _spoor_runtime_Deinitialize(void);
void _spoor_runtime_Enable(void);
void _spoor_runtime_Disable(void);
void _spoor_runtime_LogFunctionEntry(uint64_t function_id);
void _spoor_runtime_LogFunctionExit(uint64_t function_id);

#ifdef __cplusplus
}
#endif

#endif
