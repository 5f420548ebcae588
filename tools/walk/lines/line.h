/* SPDX-License-Identifier: MIT */
/*
 * line.h - one line of a call tree: margin, text, notes.
 *
 * A line is begun with room for all of it, so what is put into it asks for
 * none: each function returns where the line goes on.
 */
#ifndef SPOOR_TOOLS_REPLAY_LINE_H
#define SPOOR_TOOLS_REPLAY_LINE_H

#include "base/output.h"
#include "reader/events/call_tree.h"

/* Texts are cut to this length. */
#define REPLAY_TEXT_MAX 8192u

/* They are copied in pieces of this size, and have so much behind them. */
#define REPLAY_PIECE 32u

/* Room for what says whose line it is. */
#define REPLAY_COLUMN_MAX 96u

struct replay_lines {
	struct output *out;
	bool with_time;		/* each begins with its time since begin_ns */
	bool colored;
	uint64_t begin_ns;
	const char *column;	/* behind the duration; null: nothing stands there */
	size_t column_bytes;
};

/* The names of functions and libraries in colour. */
#define REPLAY_NAME "\033[1m"
#define REPLAY_LIBRARY "\033[2m"
#define REPLAY_PLAIN "\033[0m"

/*
 * replay_line_begin - everything that stands left of the call.
 * @text_bytes: of the text that follows, up to REPLAY_TEXT_MAX
 */
char *replay_line_begin(struct replay_lines *lines, uint64_t time_ns, bool with_duration, uint64_t duration_ns,
			size_t depth, size_t text_bytes);
void replay_line_end(struct replay_lines *lines, char *at);

static inline size_t replay_text_bytes(uint32_t length)
{
	return length < REPLAY_TEXT_MAX ? length : REPLAY_TEXT_MAX;
}

/* A text with REPLAY_PIECE bytes behind it. */
static inline char *replay_put_text(char *at, const char *text, size_t bytes)
{
	for (size_t done = 0; done < bytes; done += REPLAY_PIECE)
		memcpy(at + done, text + done, REPLAY_PIECE);
	return at + bytes;
}

/* A few words. */
char *replay_put_string(char *at, const char *string);

/* Around what is a note and no call. */
char *replay_note_begin(const struct replay_lines *lines, char *at);
char *replay_note_end(const struct replay_lines *lines, char *at);

/* How a call ended, where that is worth a word. */
char *replay_put_notes(const struct replay_lines *lines, char *at, enum call_end how, bool unreliable);

/* Of a call that was open before it could be recorded, or before the time that is shown. */
char *replay_put_root(const struct replay_lines *lines, char *at, bool early);

/*
 * replay_column - the column of a thread: its ID and name, which is cut.
 * @column: room for REPLAY_COLUMN_MAX; @bytes: how many of it are taken
 * @number: threads have their colours in turn
 */
void replay_column(const struct replay_lines *lines, char *column, uint32_t thread_id, const char *name, size_t number,
		   size_t *bytes);

/* A loss, as a note. */
char *replay_put_lost(char *at, const struct event *event);

#endif
