/* SPDX-License-Identifier: MIT */
/*
 * disabled_interface.c - the stub's versions of the functions of spoor.h that control tracing, for programs
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
