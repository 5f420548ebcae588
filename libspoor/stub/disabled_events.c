/* SPDX-License-Identifier: MIT */
/* disabled_events.c - the stub's versions of the functions of spoor.h that store events: they store no event. */
#include "stub/exported.h"

#include <errno.h>

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
