/* SPDX-License-Identifier: MIT */
/* tui_missing.c - stands for spoor tui in a build without ncurses. */
#include "base/commands.h"
#include "base/message.h"

int tui_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	message("this spoor was built without ncurses: install libncurses-dev and build it again, or use 'spoor tree'");
	return SPOOR_EXIT_USAGE;
}
