/* SPDX-License-Identifier: MIT */
/*
 * gdb_victim.c - the program that gdb_backtraces.sh steps through.
 *
 *   gdb_victim log|saving|bare|any
 */
#include <stdint.h>
#include <string.h>

#include "../programs/victims/common/work.h"
#include "spoor.h"

extern int spoor_set_handler(spoor_handler *handler, unsigned int flags) __attribute__((weak));

volatile int sink;

TRACED void reached(int value)
{
	sink += value;
	KEEP;
}

/* Logs an entry, a tail call, an entry, and an exit. */
TRACED void traced(int value)
{
	KEEP;
	__attribute__((musttail)) return reached(value + 1);
}

/* gdb starts to step at the first of these functions, and stops at the second. */
UNTRACED void step_from_here(void)
{
	KEEP;
}

UNTRACED void step_to_here(void)
{
	KEEP;
}

UNTRACED void handler(uint64_t function_id, int event)
{
	sink += (int)function_id + event;
}

UNTRACED SPOOR_SAVES_REGISTERS void handler_saves(uint64_t function_id, int event)
{
	sink += (int)function_id + event;
}

UNTRACED int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "log";

	if (strcmp(mode, "saving") == 0)
		spoor_set_handler((spoor_handler *)handler_saves, SPOOR_HANDLER_SAVES_REGISTERS);
	else if (strcmp(mode, "log") != 0)
		spoor_set_handler(handler, strcmp(mode, "bare") == 0 ? SPOOR_HANDLER_GENERAL_REGISTERS_ONLY : 0);
	/* The steps include the thread's first event, and the last event in its first slice of 512 words. An event
	 * takes up to four words if much time passes in gdb. */
	step_from_here();
	traced(1);
	step_to_here();
	if (strcmp(mode, "log") == 0) {
		for (int i = 0; i < 121; i++)
			traced(i);
		step_from_here();
		for (int i = 0; i < 7; i++)
			traced(i);
		step_to_here();
	}
	return 0;
}
