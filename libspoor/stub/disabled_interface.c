/* SPDX-License-Identifier: MIT */
/*
 * disabled_interface.c - the stub's versions of the functions of spoor.h in one file, for programs
 * that use the interface but must not be traced. Each returns what a runtime that is off for good returns.
 *
 * Needs no library, not even libc. A preloaded libspoor.so takes precedence.
 */
#include "stub/exported.h"

#include <errno.h>

EXPORT int spoor_initialize(void)
{
	return -ESHUTDOWN;
}

EXPORT int spoor_deinitialize(void)
{
	return -ESHUTDOWN;
}

EXPORT int spoor_is_initialized(void)
{
	return 0;
}

EXPORT int spoor_is_stub(void)
{
	return 1;
}

EXPORT int spoor_flush(int64_t timeout_ns)
{
	(void)timeout_ns;
	return -ESHUTDOWN;
}

EXPORT int spoor_flush_then(spoor_flushed *flushed, void *context)
{
	(void)flushed, (void)context;
	return -ESHUTDOWN;
}

EXPORT int spoor_clear(void)
{
	return -ESHUTDOWN;
}

EXPORT long spoor_trace_files(spoor_trace_file_found *found, void *context)
{
	(void)found, (void)context;
	return -ESHUTDOWN;
}

EXPORT long spoor_trace_files_delete(uint64_t age_s, uint64_t *bytes)
{
	(void)age_s;
	if (bytes)
		*bytes = 0;
	return -ESHUTDOWN;
}

EXPORT long spoor_configuration_get(const char *name, char *value, size_t size)
{
	(void)name;
	if (size)
		value[0] = '\0';
	return -ESHUTDOWN;
}

EXPORT const char *spoor_configuration_name(unsigned int position)
{
	(void)position;
	return NULL;
}

EXPORT int spoor_set_handler(spoor_handler *handler, unsigned int flags)
{
	(void)handler, (void)flags;
	return -ESHUTDOWN;
}

EXPORT int spoor_mode_set(const char *name)
{
	(void)name;
	return -ESHUTDOWN;
}

EXPORT const char *spoor_mode_get(void)
{
	return "off";
}

EXPORT long spoor_enable(void)
{
	return -ESHUTDOWN;
}

EXPORT long spoor_disable(void)
{
	return -ESHUTDOWN;
}

EXPORT long spoor_functions_enable(const char *modules, const char *functions)
{
	(void)modules, (void)functions;
	return -ESHUTDOWN;
}

EXPORT long spoor_functions_disable(const char *modules, const char *functions)
{
	(void)modules, (void)functions;
	return -ESHUTDOWN;
}

EXPORT long spoor_tracepoints_enable(const char *patterns)
{
	(void)patterns;
	return -ESHUTDOWN;
}

EXPORT long spoor_arguments_choose(const char *choices)
{
	(void)choices;
	return -ESHUTDOWN;
}

EXPORT long spoor_results_choose(const char *choices)
{
	(void)choices;
	return -ESHUTDOWN;
}

EXPORT long spoor_tracepoints_disable(const char *patterns)
{
	(void)patterns;
	return -ESHUTDOWN;
}

EXPORT int spoor_is_enabled(void)
{
	return 0;
}

EXPORT void _spoor_runtime_Initialize(void)
{
}

EXPORT void _spoor_runtime_Deinitialize(void)
{
}

EXPORT void _spoor_runtime_Enable(void)
{
}

EXPORT void _spoor_runtime_Disable(void)
{
}

EXPORT int spoor_log_event(uint32_t type, uint64_t payload_1, uint32_t payload_2)
{
	(void)type, (void)payload_1, (void)payload_2;
	return -ESHUTDOWN;
}

EXPORT int spoor_log_event_at(uint64_t steady_ns, uint32_t type, uint64_t payload_1, uint32_t payload_2)
{
	(void)steady_ns, (void)type, (void)payload_1, (void)payload_2;
	return -ESHUTDOWN;
}

EXPORT int spoor_log_function_entry(uint64_t function_id)
{
	(void)function_id;
	return -ESHUTDOWN;
}

EXPORT int spoor_log_function_exit(uint64_t function_id)
{
	(void)function_id;
	return -ESHUTDOWN;
}

EXPORT const char *spoor_logs_flag(void)
{
	return "";
}

EXPORT int spoor_log_scope_begin(uint64_t name)
{
	(void)name;
	return -ESHUTDOWN;
}

EXPORT int spoor_log_scope_end(uint64_t name)
{
	(void)name;
	return -ESHUTDOWN;
}

EXPORT int spoor_name_event_type(uint32_t type, const char *name, int payload_1)
{
	(void)type, (void)name, (void)payload_1;
	return -ESHUTDOWN;
}

EXPORT uint64_t spoor_intern_string(const char *string)
{
	(void)string;
	return 0;
}

EXPORT int spoor_name_thread(const char *name)
{
	(void)name;
	return -ESHUTDOWN;
}

EXPORT void _spoor_runtime_LogFunctionEntry(uint64_t function_id)
{
	(void)function_id;
}

EXPORT void _spoor_runtime_LogFunctionExit(uint64_t function_id)
{
	(void)function_id;
}
