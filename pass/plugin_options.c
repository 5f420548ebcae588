/* SPDX-License-Identifier: MIT */
/* plugin_options.c - reads the options of the plugin once in a compiler. */
#define _GNU_SOURCE
#include "pass/plugin_options.h"

#include "pass/llvm_more.h"
#include "pass/options_sources.h"

#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;	/* linkers compile in several threads */
static struct spoor_options options;
static struct spoor_fault fault;
static int result;

static void read_once(void)
{
	result = spoor_options_begin(&options);
	if (result < 0)
		snprintf(fault.text, sizeof fault.text, "out of memory");
	else
		result = spoor_options_read(&options, &fault);
}

const struct spoor_options *spoor_plugin_options(LLVMModuleRef module)
{
	char message[sizeof fault.text + 16];

	pthread_once(&once, read_once);
	if (result == 0)
		return &options;
	snprintf(message, sizeof message, "spoor: %s", fault.text);
	spoor_report_error(module, message);
	return NULL;
}
