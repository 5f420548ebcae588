/* SPDX-License-Identifier: MIT */
/*
 * way_spoor.c - sets up spoor: dormant, logging, or with an empty handler.
 *
 * This file is compiled with -mgeneral-regs-only and without instrumentation.
 */
#include "spoor.h"
#include "work.h"

#include <stdio.h>
#include <string.h>

#pragma weak spoor_set_handler
#pragma weak spoor_is_enabled

static void empty_handler(uint64_t function_id, int event)
{
	(void)function_id;
	(void)event;
}

SPOOR_SAVES_REGISTERS static void saving_handler(uint64_t function_id, int event)
{
	(void)function_id;
	(void)event;
}

static int refuse(const char *what)
{
	fprintf(stderr, "way_spoor: %s\n", what);
	return -1;
}

int way_begin(const char *how)
{
	if (!strcmp(how, "dormant"))
		return spoor_is_enabled && spoor_is_enabled() ? refuse("the sleds are patched") : 0;
	if (!spoor_set_handler || !spoor_is_enabled())
		return refuse("libspoor.so is not loaded, or is off");
	if (!strcmp(how, "log"))
		return 0;
	if (!strcmp(how, "bare-handler"))
		return spoor_set_handler(empty_handler, SPOOR_HANDLER_GENERAL_REGISTERS_ONLY);
	if (!strcmp(how, "any-c-handler"))
		return spoor_set_handler(empty_handler, 0);
	if (!strcmp(how, "saving-handler"))
		return spoor_set_handler((spoor_handler *)saving_handler, SPOOR_HANDLER_SAVES_REGISTERS);
	return refuse("HOW is dormant, log, saving-handler, bare-handler or any-c-handler");
}

int way_end(void)
{
	return 0;
}
