/* SPDX-License-Identifier: MIT */
/* live_view_options.c - the options that choose what --live shows. */
#include <stdlib.h>

#include "base/message.h"
#include "base/number_text.h"
#include "walk/pattern_options.h"
#include "record/live_view.h"

void record_live_choice_begin(struct record_live_choice *choice)
{
	*choice = (struct record_live_choice){ .depth = SIZE_MAX };
	walk_choice_begin(&choice->walk);
}

int record_live_option(struct record_live_choice *choice, int option, const char *argument)
{
	static const char *const names[] = {
		[LIVE_SHOW - WALK_OWN] = "--show", [LIVE_DEPTH - WALK_OWN] = "--depth",
		[LIVE_TIMESTAMPS - WALK_OWN] = "--timestamps", [LIVE_COLOR - WALK_OWN] = "--color",
	};

	if (option == LIVE) {
		choice->wanted = true;
		choice->path = argument;
		return argument && !*argument ? message_usage("--live: the file name is empty") : 0;
	}
	choice->option = option > LIVE ? names[option - WALK_OWN] : option == WALK_LIBRARY ? "--library" :
			 option == WALK_LEAST ? "--min-duration" : option == WALK_FULL_NAMES ? "--full-names" :
									  "--no-demangle";
	switch (option) {
	case LIVE_SHOW:
		return pattern_options_add(&choice->patterns, argument);
	case LIVE_DEPTH:
		if (!number_text_count(argument, 1, SIZE_MAX, &choice->depth))
			return message_usage("--depth: '%s' is not a number of levels: use a number from 1", argument);
		return 0;
	case LIVE_TIMESTAMPS:
		choice->with_time = true;
		return 0;
	case LIVE_COLOR:
		return terminal_when(argument, &choice->color);
	default:
		return walk_choice_option(&choice->walk, option, argument);
	}
}
