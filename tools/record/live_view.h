/* SPDX-License-Identifier: MIT */
/*
 * live_view.h - spoor record --live: shows the call tree during a recording.
 *
 * A separate thread follows the trace as it is written. If the reader of the tree is slow, only this
 * thread waits.
 */
#ifndef SPOOR_TOOLS_RECORD_LIVE_VIEW_H
#define SPOOR_TOOLS_RECORD_LIVE_VIEW_H

#include "record/recorder.h"
#include "base/terminal.h"
#include "walk/walk.h"

/* What to show, and where. */
struct record_live_choice {
	bool wanted;
	const char *path;	/* null: stderr */
	char *patterns;		/* patterns of functions; null: all */
	size_t depth;		/* SIZE_MAX: all */
	bool with_time;
	enum terminal_when color;
	struct walk_choice walk;	/* filters by library and duration; symbol options */
	const char *option;	/* the last option that needs --live; null: none */
};

/* Options for getopt_long, and help. record_live_option returns 0, or SPOOR_EXIT_USAGE after a message. */
enum record_live_option { LIVE = WALK_OWN, LIVE_SHOW, LIVE_DEPTH, LIVE_TIMESTAMPS, LIVE_COLOR, LIVE_OWN };
#define RECORD_LIVE_LONG_OPTIONS                                               \
	{ "live", optional_argument, NULL, LIVE },                             \
		{ "show", required_argument, NULL, LIVE_SHOW },                \
		{ "depth", required_argument, NULL, LIVE_DEPTH },              \
		{ "timestamps", no_argument, NULL, LIVE_TIMESTAMPS },          \
		{ "color", required_argument, NULL, LIVE_COLOR },              \
		{ "library", required_argument, NULL, WALK_LIBRARY },          \
		{ "min-duration", required_argument, NULL, WALK_LEAST },       \
	{                                                                      \
		"full-names", no_argument, NULL, WALK_FULL_NAMES               \
	},                                                             \
	{                                                              \
		"no-demangle", no_argument, NULL, WALK_NO_DEMANGLE             \
	}
#define RECORD_LIVE_HELP                                                                            \
	"      --live[=FILE]     show the calls of all threads while they are recorded, by time,\n" \
	"                        on stderr or in FILE; the next options require --live:\n"          \
	"      --show PATTERNS   show only calls of these functions and the calls below them\n"     \
	"      --depth N         show at most N levels of calls\n"                                  \
	"      --library PATTERNS\n"                                                                \
	"                        show only calls of functions in these libraries\n"                 \
	"      --min-duration TIME\n"                                                               \
	"                        show only calls that took at least TIME, such as 20us\n"           \
	"      --timestamps      show when each call began or ended\n"                              \
	"      --color WHEN      auto (default: on a terminal), always or never\n"                  \
	"      --full-names      show parameters and all template arguments in names\n"            \
	"      --no-demangle     show linkage names\n"

void record_live_choice_begin(struct record_live_choice *choice);
int record_live_option(struct record_live_choice *choice, int option, const char *argument);

struct record_live;

/*
 * record_live_begin - begins to show a trace. *@live is null if the user did not choose that.
 * @trace_path: absolute
 *
 * Returns 0, or an exit status after a message.
 */
int record_live_begin(struct record_live **live, const struct record_live_choice *choice, const char *trace_path,
		      struct recorder *recorder);

/* Stops requests to the recorder. Call it before the recorder ends. @live may be null. */
void record_live_stop(struct record_live *live);

/* Called after the recorder has written everything: shows the rest, and frees everything. @live may be null. */
void record_live_end(struct record_live *live);

#endif
