/* SPDX-License-Identifier: MIT */
/*
 * way_xray.c - sets up LLVM's XRay: dormant, with an empty handler, or with its flight data
 * recorder, whose log is discarded or written.
 */
#include "work.h"

#include <stdio.h>
#include <string.h>

/* LLVM's header with these functions is for C++ only. */
int __xray_patch(void);
int __xray_set_handler(void (*handler)(int32_t id, int type));
int __xray_log_select_mode(const char *mode);
int __xray_log_init_mode(const char *mode, const char *configuration);
int __xray_log_finalize(void);
int __xray_log_flushLog(void);

enum { MODE_FOUND = 0, PATCHED = 1, LOG_INITIALIZED = 2, LOG_FINALIZED = 4, LOG_FLUSHED = 2 };

static int logging, writing;

static void empty_handler(int32_t id, int type)
{
	(void)id;
	(void)type;
}

static int refuse(const char *what)
{
	fprintf(stderr, "way_xray: %s\n", what);
	return -1;
}

/*
 * The recorder drops events if its buffers are full, so they must be large enough for the whole run: 60 million
 * calls in the written log. There are few buffers, because llvm-xray fails if a thread has many.
 */
int way_begin(const char *how)
{
	if (!strcmp(how, "dormant"))
		return 0;
	if (!strcmp(how, "fdr")) {
		if (__xray_log_select_mode("xray-fdr") != MODE_FOUND ||
		    __xray_log_init_mode("xray-fdr", "buffer_size=268435456:buffer_max=4:"
					 "func_duration_threshold_us=0:no_file_flush=true") != LOG_INITIALIZED)
			return refuse("the flight data recorder does not start");
		logging = 1;
	} else if (!strcmp(how, "fdr-file")) {
		if (__xray_log_select_mode("xray-fdr") != MODE_FOUND ||
		    __xray_log_init_mode("xray-fdr", "buffer_size=67108864:buffer_max=15:"
					 "func_duration_threshold_us=0") != LOG_INITIALIZED)
			return refuse("the flight data recorder does not start");
		logging = writing = 1;
	} else if (!strcmp(how, "empty-handler")) {
		__xray_set_handler(empty_handler);
	} else {
		return refuse("HOW is dormant, empty-handler, fdr or fdr-file");
	}
	return __xray_patch() == PATCHED ? 0 : refuse("the sleds cannot be patched");
}

int way_end(void)
{
	if (logging && __xray_log_finalize() != LOG_FINALIZED)
		return refuse("the flight data recorder does not end");
	if (writing && __xray_log_flushLog() != LOG_FLUSHED)
		return refuse("the flight data recorder's log is not written");
	return 0;
}
