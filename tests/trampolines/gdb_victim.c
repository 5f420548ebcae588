/* SPDX-License-Identifier: MIT */
/*
 * gdb_victim.c - what gdb_backtraces.sh steps through.
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

/* An entry, a tail call, an entry, an exit. */
TRACED void traced(int value)
{
	KEEP;
	__attribute__((musttail)) return reached(value + 1);
}

/* Where gdb stops, and where it has stepped enough. */
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
	/* The thread's first event; then the last of its first slice of 512 words, of
	 * which an event takes up to four where gdb takes its time. */
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
