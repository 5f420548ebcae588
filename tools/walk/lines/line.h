/* SPDX-License-Identifier: MIT */
/*
 * line.h - writes one line of a call tree: margin, text, notes.
 *
 * replay_line_begin reserves room for the whole line, so the other functions do not check for room.
 * Each returns the position at which the line continues.
 */
#ifndef SPOOR_TOOLS_REPLAY_LINE_H
#define SPOOR_TOOLS_REPLAY_LINE_H

#include "base/output.h"
#include "reader/events/call_tree.h"

/* Texts are cut to this length. */
#define REPLAY_TEXT_MAX 8192u

/* Texts are copied in pieces of this size, so this many bytes follow each text. */
#define REPLAY_PIECE 32u

/* Room for the column that shows the thread of a line. */
#define REPLAY_COLUMN_MAX 96u

struct replay_lines {
	struct output *out;
	bool with_time;		/* each line begins with the time since begin_ns */
	bool colored;
	uint64_t begin_ns;
	const char *column;	/* shown after the duration; null: no column */
	size_t column_bytes;
};

/* Colours of the names of functions and libraries. */
#define REPLAY_NAME "\033[1m"
#define REPLAY_LIBRARY "\033[2m"
#define REPLAY_PLAIN "\033[0m"

/*
 * replay_line_begin - writes the margin, which is the part of a line to the left of the call.
 * @text_bytes: size of the text that follows, up to REPLAY_TEXT_MAX
 */
char *replay_line_begin(struct replay_lines *lines, uint64_t time_ns, bool with_duration, uint64_t duration_ns,
			size_t depth, size_t text_bytes);
void replay_line_end(struct replay_lines *lines, char *at);

static inline size_t replay_text_bytes(uint32_t length)
{
	return length < REPLAY_TEXT_MAX ? length : REPLAY_TEXT_MAX;
}

/* Writes a text that is followed by REPLAY_PIECE bytes. */
static inline char *replay_put_text(char *at, const char *text, size_t bytes)
{
	for (size_t done = 0; done < bytes; done += REPLAY_PIECE)
		memcpy(at + done, text + done, REPLAY_PIECE);
	return at + bytes;
}

/* Writes a few words. */
char *replay_put_string(char *at, const char *string);

/* Write the parts around a note. */
char *replay_note_begin(const struct replay_lines *lines, char *at);
char *replay_note_end(const struct replay_lines *lines, char *at);

/* Writes a note if the call did not end with an exit. */
char *replay_put_notes(const struct replay_lines *lines, char *at, enum call_end how, bool unreliable);

/* Writes a note for a call that was open before recording, or before the shown range. */
char *replay_put_root(const struct replay_lines *lines, char *at, bool early);

/*
 * replay_column - makes the column of a thread: its ID and name, cut to fit.
 * @column: room for REPLAY_COLUMN_MAX; @bytes: receives its size
 * @number: selects the colour; threads use the colours in turn
 */
void replay_column(const struct replay_lines *lines, char *column, uint32_t thread_id, const char *name, size_t number,
		   size_t *bytes);

/* Writes a loss as a note. */
char *replay_put_lost(char *at, const struct event *event);

#endif
