/* SPDX-License-Identifier: MIT */
/*
 * spoor.h - functions of libspoor.so by which a C or C++ program controls its own tracing.
 *
 * A program can be traced without calling any of them. To call them, link with -lspoor, or
 * declare them weak and run the program with or without LD_PRELOAD=libspoor.so.
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
 * Each function may be called from any thread while other threads log events. Only functions
 * marked "signal-safe" may be called from signal handlers. All functions preserve errno.
 * They return -ESHUTDOWN if the runtime is off for good: the configuration switches it off,
 * the program runs with raised privileges (AT_SECURE), or the stub library is linked, which
 * has the same functions and does nothing.
 */

/*
 * spoor_initialize - starts the runtime again after spoor_deinitialize. Otherwise it does
 * nothing: the runtime starts by itself. It enables no sled.
 *
 * Return: 0 or -ESHUTDOWN.
 */
int spoor_initialize(void);

/*
 * spoor_deinitialize - disables every sled, writes all stored events, and frees the pool's
 * memory except slices that other threads were using.
 *
 * Return: 0, -ESHUTDOWN, -ETIMEDOUT if the recorder does not answer for ten seconds, or the
 * negative errno of a failed write. The runtime is off afterwards in every case.
 */
int spoor_deinitialize(void);

/* Returns 1 if the runtime has started and has not been deinitialised since, else 0. Signal-safe. */
int spoor_is_initialized(void);

/* Returns 1 in the stub library, which does nothing, and 0 in libspoor.so. Signal-safe. */
int spoor_is_stub(void);

/* The first type of user events: their upper bit is set. Smaller types are spoor's. */
#define SPOOR_USER_TYPE_FIRST 0x80000000u

/*
 * spoor_log_event - stores a user event with the time of the call.
 * spoor_log_event_at - stores a user event with the caller's time.
 * @type:      SPOOR_USER_TYPE_FIRST or above
 * @steady_ns: CLOCK_MONOTONIC nanoseconds, above 0 and below 2^60
 *
 * In the thread's list of events the event stands where it was logged; timelines place it at
 * its time.
 *
 * Return: 0; -EINVAL for an invalid type or time; -ENOBUFS if the event was lost (the loss is
 * counted); -ESHUTDOWN, also while the runtime is disabled, deinitialised or in count mode.
 *
 * Context: signal-safe. About 50 ns.
 */
int spoor_log_event(uint32_t type, uint64_t payload_1, uint32_t payload_2);
int spoor_log_event_at(uint64_t steady_ns, uint32_t type, uint64_t payload_1, uint32_t payload_2);

/*
 * spoor_log_function_entry, spoor_log_function_exit - store the entry or the exit of a function,
 * as a sled does.
 * @function_id: module ID in the upper 32 bits, local function ID in the lower, as handlers get it
 *
 * Return and context: as spoor_log_event.
 */
int spoor_log_function_entry(uint64_t function_id);
int spoor_log_function_exit(uint64_t function_id);

/*
 * spoor_log_scope_begin, spoor_log_scope_end - store the begin and the end of a named scope. The
 * tools show a scope as they show a call. The macros of spoor/scope.h call these functions.
 * @name: an ID that spoor_intern_string returned
 *
 * Return and context: as spoor_log_event.
 */
int spoor_log_scope_begin(uint64_t name);
int spoor_log_scope_end(uint64_t name);

/*
 * spoor_logs_flag - returns the address of a byte that is 0 while none of the functions above
 * stores anything, so that a caller can skip the call. Any thread may read the byte at any
 * time; the address stays valid for the life of the process.
 */
const char *spoor_logs_flag(void);

/* How the tools show payload 1 of a type of user events. */
enum spoor_payload {
	SPOOR_PAYLOAD_NUMBER = 0,
	SPOOR_PAYLOAD_STRING = 1,	/* an ID that spoor_intern_string returned */
};

/*
 * spoor_name_event_type - names a type of user events for the tools.
 * @name:      at most 4095 bytes; copied
 * @payload_1: enum spoor_payload
 *
 * If a type is named several times, the last name applies to the whole trace.
 *
 * Return: 0, -EINVAL for a type below SPOOR_USER_TYPE_FIRST or a longer name, -ENOMEM, -ESHUTDOWN.
 */
int spoor_name_event_type(uint32_t type, const char *name, int payload_1);

/*
 * spoor_intern_string - stores a string in the trace once, and keeps a copy in memory.
 *
 * Return: the string's ID, which is the same in every run; 0 if the string is longer than
 * 4095 bytes, if there is no memory, or if the runtime is off.
 */
uint64_t spoor_intern_string(const char *string);

/*
 * spoor_name_thread - names the calling thread for the tools, instead of its name in the kernel.
 *
 * Return: 0, -EINVAL for a name of more than 4095 bytes, -ENOMEM, -ESHUTDOWN.
 */
int spoor_name_thread(const char *name);

/*
 * spoor_flush - writes all events that any thread stored before the call.
 * @timeout_ns: how long to wait for the recorder, if there is one; negative: without limit
 *
 * Return: 0, -ETIMEDOUT, -ESHUTDOWN, -EPIPE if the recorder has ended, or the negative errno
 * of a failed write.
 */
int spoor_flush(int64_t timeout_ns);

/* @error: the value that spoor_flush would return. */
typedef void spoor_flushed(int error, void *context);

/*
 * spoor_flush_then - does the same without waiting, then calls @flushed from a new thread with
 * all signals blocked.
 *
 * Return: 0; or -EINVAL, -ENOMEM, -EAGAIN if no thread can be created, -ESHUTDOWN: in these
 * cases @flushed is not called.
 */
int spoor_flush_then(spoor_flushed *flushed, void *context);

/*
 * spoor_clear - drops all stored events that are not written yet, and counts each as cleared.
 *
 * Return: 0, -ETIMEDOUT if the recorder does not answer for ten seconds, -ESHUTDOWN.
 */
int spoor_clear(void);

/* Called with one file of a trace: its size on disk, and its last change in seconds since 1970. */
typedef void spoor_trace_file_found(const char *path, uint64_t bytes, int64_t modified_s, void *context);

/*
 * spoor_trace_files - calls @found for each file in the trace directory, including the files of
 * this process.
 *
 * Return: the number of files (>= 0), -EINVAL, -ESHUTDOWN, or the negative errno of reading the
 * directory.
 */
long spoor_trace_files(spoor_trace_file_found *found, void *context);

/*
 * spoor_trace_files_delete - deletes files of processes that have ended from the trace directory.
 * @age_s: keeps the files of processes that wrote during the last @age_s seconds
 * @bytes: null, or receives the number of bytes freed on disk
 *
 * Return: the number of files deleted (>= 0), or an error as above.
 */
long spoor_trace_files_delete(uint64_t age_s, uint64_t *bytes);

/*
 * spoor_configuration_get - copies the value of a configuration key, such as "trace_path", as text.
 * @value: receives at most @size bytes, including the terminating NUL
 *
 * Return: the length of the whole value (>= 0), -ENOENT for an unknown key, -EINVAL, -ESHUTDOWN.
 */
long spoor_configuration_get(const char *name, char *value, size_t size);

/* Returns the name of the configuration key at a position, counted from 0; null after the last key.
 * Signal-safe. */
const char *spoor_configuration_name(unsigned int position);

/* The kind of event that is passed to a handler. */
enum spoor_handler_event {
	SPOOR_HANDLER_ENTRY = 1,
	SPOOR_HANDLER_EXIT = 2,
	SPOOR_HANDLER_TAIL_EXIT = 3,
};

/*
 * spoor_handler - a function that the runtime calls at each event, in the thread of the event,
 * instead of logging the event.
 * @function_id: module ID in the upper 32 bits, local function ID in the lower
 * @event:       enum spoor_handler_event
 *
 * The runtime does not call a handler for traced functions that the handler itself calls. A
 * handler must return: after longjmp or siglongjmp out of it, the runtime considers the thread
 * to be inside the handler and reports no later event of that thread.
 */
typedef void spoor_handler(uint64_t function_id, int event);

enum spoor_handler_flags {
	/* The handler and all functions that it calls are compiled with -mgeneral-regs-only and
	 * are not traced. The runtime neither saves the vector registers around the call nor
	 * checks whether the handler is already running in the thread. On AArch64 the handler
	 * must not make system calls either: Linux clears all but 128 bits of scalable vectors. */
	SPOOR_HANDLER_GENERAL_REGISTERS_ONLY = 1 << 0,
	/* The same, and the handler is declared SPOOR_SAVES_REGISTERS: the runtime saves no
	 * register around the call. This is the fastest class on x86-64; on other machines it
	 * equals the first. clang considers such a handler a different type, so cast it:
	 * (spoor_handler *)counts. */
	SPOOR_HANDLER_SAVES_REGISTERS = 1 << 1,
};

/* Makes a handler preserve every register, including those that a function may change. */
#ifdef __has_attribute
#if __has_attribute(no_caller_saved_registers)
#define SPOOR_SAVES_REGISTERS __attribute__((no_caller_saved_registers))
#endif
#endif
#ifndef SPOOR_SAVES_REGISTERS
#define SPOOR_SAVES_REGISTERS
#endif

/*
 * spoor_set_handler - makes the runtime call @handler at every event from now on.
 * @handler: null returns to the mode in force, or to the configuration's handler library
 * @flags:   enum spoor_handler_flags, or 0
 *
 * Return: 0, -EINVAL for an unknown flag, -ESHUTDOWN.
 */
int spoor_set_handler(spoor_handler *handler, unsigned int flags);

/*
 * spoor_mode_set - changes how the runtime treats events, in all threads, while they run.
 * @name: "log":     stores all events
 *        "ring":    keeps the last events of each thread in memory
 *        "count":   counts the calls of each function and stores nothing else
 *        "order":   notes which functions are called, in the order of their first calls
 *        "off":     as spoor_disable()
 *        "handler": calls the handler again that was set last, or the configuration's
 *
 * A change neither loses nor duplicates a call: each call is an event or a count. Events that
 * were stored before the change go into the trace; leaving ring mode writes the ring. A handler
 * that was set is no longer called. If a thread may have run unrecorded during the change, the
 * trace says so and ends the thread's open calls there. Count mode does not store user events.
 *
 * Return: 0, or one of these, and then nothing has changed:
 *   -EINVAL     unknown name
 *   -ESHUTDOWN  the runtime is off for good or deinitialised
 *   -EBUSY      events go to the configuration's handler library or to XRay's interface, and
 *               @name is not "off" or "handler"; or @name is "handler" and the mode is "order"
 *   -ENOENT     @name is "handler" and no handler was set
 *   another negative errno: there is no memory for the mode
 */
int spoor_mode_set(const char *name);

/* Returns the name of the mode in force, even while a handler is set; "off" also after
 * spoor_disable(). The string is constant. */
const char *spoor_mode_get(void);

/*
 * spoor_enable, spoor_disable - wake the sleds of all functions that the configuration chooses, or
 * make every sled dormant. User events are stored while the runtime is enabled. The trace
 * notes both as a change of the mode.
 *
 * When sleds of a running program wake, the runtime loads libunwind if it is installed. At its
 * first event each thread then writes the calls into the trace that are open in it (libspoor(7)).
 *
 * spoor_enable and spoor_functions_enable register modules that were loaded before libspoor.so
 * and could not find it. Until then these modules are dormant. spoor_enable wakes the functions
 * of the configuration in them, spoor_functions_enable only those that it names.
 *
 * Return: the number of functions that changed (>= 0), or -ESHUTDOWN, also while deinitialised.
 *
 * Context: any thread, while other threads run the functions; not signal handlers.
 */
long spoor_enable(void);
long spoor_disable(void);

/*
 * spoor_functions_enable, spoor_functions_disable - do the same for chosen functions.
 * @modules:   patterns for soname or file name, or for the path if a pattern has a '/'; null: all
 * @functions: patterns for linkage names and demangled names; null: all
 *
 * Patterns are globs separated by commas. The last pattern that matches decides; a leading '-'
 * excludes. A list whose first pattern excludes starts with everything included. The choice also
 * applies to modules that are loaded later.
 *
 * Return: the number of functions that changed (>= 0), -EINVAL for a malformed pattern, -ESHUTDOWN.
 *
 * Context: as spoor_enable.
 */
long spoor_functions_enable(const char *modules, const char *functions);
long spoor_functions_disable(const char *modules, const char *functions);

/*
 * spoor_tracepoints_enable, spoor_tracepoints_disable - switch static tracepoints (spoor/sdt.h) with
 * a semaphore on or off. While a tracepoint is on, the runtime stores each hit as an event.
 * @patterns: patterns for "provider:name"; null: all
 *
 * The choice also applies to modules that are loaded later.
 *
 * Return: the number of tracepoints that changed (>= 0), -EINVAL for a malformed pattern, -ESHUTDOWN.
 *
 * Context: as spoor_enable.
 */
long spoor_tracepoints_enable(const char *patterns);
long spoor_tracepoints_disable(const char *patterns);

/*
 * spoor_arguments_choose, spoor_results_choose - choose the functions whose arguments, or results, are recorded with
 * their calls. A later choice replaces an earlier one, and the choice of the configuration.
 * @choices: as for `spoor record --args` and `--retval`: "parse*,open(path:s,flags:x)"; null or "": none
 *
 * Only calls of enabled functions are recorded. A call that runs meanwhile may be recorded without values.
 *
 * Return: the number of functions of which values are recorded now, in modules that are loaded (>= 0); -EINVAL for
 * malformed choices; -E2BIG for more than 4095 characters; -ENOTSUP if the mode stores no events; -ESHUTDOWN.
 *
 * Context: as spoor_enable.
 */
long spoor_arguments_choose(const char *choices);
long spoor_results_choose(const char *choices);

/* Returns 1 if any sled is awake or, in a process without sleds, if user events are stored; else 0.
 * Signal-safe. */
int spoor_is_enabled(void);

/* The functions above by the names that Spoor's compiler pass calls. */
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
