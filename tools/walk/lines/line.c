/* SPDX-License-Identifier: MIT */
/* line.c - writes one line of a call tree in about 10 ns. */
#include "walk/lines/line.h"

#include <inttypes.h>
#include <stdio.h>

#include "walk/loss_cause.h"

#define INDENT 2
#define INDENT_LEVELS_MAX 64	/* deeper calls show the excess as a number */
#define TIME_WIDTH 14

#define NAME_WIDTH 15		/* of a thread; the kernel keeps no more characters */

/* The size of a line without its text. */
#define MARGIN_MAX (TIME_WIDTH + 16 + OUTPUT_DURATION_MAX + REPLAY_COLUMN_MAX + INDENT * INDENT_LEVELS_MAX + 256)

#define NOTE "\033[36m"

/* Writes the time since the process began, padded to TIME_WIDTH. */
static char *put_time(const struct replay_lines *lines, char *at, uint64_t time_ns)
{
	uint64_t begin_ns = lines->begin_ns;
	uint64_t since_ns = time_ns > begin_ns ? time_ns - begin_ns : 0;

	return at + sprintf(at, "%*" PRIu64 ".%03u  ", TIME_WIDTH - 4, since_ns / 1000, (unsigned int)(since_ns % 1000));
}

/* Milliseconds and seconds are highlighted, nanoseconds are dimmed. */
static char *put_duration(const struct replay_lines *lines, char *at, uint64_t ns)
{
	const char *color = ns >= 1000000000 ? "\033[31m" : ns >= 1000000 ? "\033[33m" : ns < 1000 ? "\033[2m" : "";

	if (!lines->colored || !*color)
		return output_duration_at(at, ns);
	at = replay_put_string(at, color);
	at = output_duration_at(at, ns);
	return replay_put_string(at, REPLAY_PLAIN);
}

char *replay_line_begin(struct replay_lines *lines, uint64_t time_ns, bool with_duration, uint64_t duration_ns, size_t depth,
			size_t text_bytes)
{
	char *at = output_room(lines->out, MARGIN_MAX + text_bytes + REPLAY_PIECE);
	size_t levels = depth < INDENT_LEVELS_MAX ? depth : INDENT_LEVELS_MAX;
	size_t spaces = 3 + INDENT * levels;

	if (lines->with_time)
		at = put_time(lines, at, time_ns);
	if (with_duration)
		at = put_duration(lines, at, duration_ns);
	else if (!lines->column)
		spaces += OUTPUT_DURATION_WIDTH;
	if (lines->column) {
		if (!with_duration) {
			memset(at, ' ', OUTPUT_DURATION_WIDTH);
			at += OUTPUT_DURATION_WIDTH;
		}
		memcpy(at, lines->column, lines->column_bytes);
		at += lines->column_bytes;
	}
	for (size_t done = 0; done < spaces; done += REPLAY_PIECE)
		memset(at + done, ' ', REPLAY_PIECE);
	at += spaces;
	if (depth > levels)
		at += sprintf(at, "+%zu ", depth - levels);
	return at;
}

void replay_line_end(struct replay_lines *lines, char *at)
{
	*at++ = '\n';
	lines->out->used = (size_t)(at - lines->out->buffer);
}

char *replay_put_string(char *at, const char *string)
{
	size_t length = strlen(string);

	if (length > REPLAY_TEXT_MAX)
		length = REPLAY_TEXT_MAX;
	memcpy(at, string, length);
	return at + length;
}

char *replay_note_begin(const struct replay_lines *lines, char *at)
{
	return lines->colored ? replay_put_string(at, NOTE) : at;
}

char *replay_note_end(const struct replay_lines *lines, char *at)
{
	return lines->colored ? replay_put_string(at, REPLAY_PLAIN) : at;
}

void replay_column(const struct replay_lines *lines, char *column, uint32_t thread_id, const char *name, size_t number,
		   size_t *bytes)
{
	static const char colors[] = { 2, 3, 5, 6, 4, 1 };
	unsigned int color = 30u + (unsigned int)colors[number % sizeof(colors)];
	size_t length = strnlen(name, NAME_WIDTH);

	/* Do not cut within a UTF-8 character. */
	while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--;
	*bytes = (size_t)snprintf(column, REPLAY_COLUMN_MAX, "  %7" PRIu32 " %.*s%*s", thread_id, (int)length, name,
				  (int)(NAME_WIDTH - length), "");
	if (lines->colored)
		*bytes = (size_t)snprintf(column, REPLAY_COLUMN_MAX, "  \033[%um%7" PRIu32 " %.*s%*s" REPLAY_PLAIN, color,
					  thread_id, (int)length, name, (int)(NAME_WIDTH - length), "");
}

char *replay_put_notes(const struct replay_lines *lines, char *at, enum call_end how, bool unreliable)
{
	static const char *const notes[] = {
		[CALL_EXIT] = "",
		[CALL_TAIL] = "  # tail call",
		[CALL_UNWOUND] = "  # unwound",
		[CALL_SET_ASIDE] = "  # another stack continues",
		[CALL_LEFT] = "  # left without returning",
		[CALL_UNRECORDED] = "  # still running when recording stopped",
		[CALL_UNFINISHED] = "  # still running when the trace ends",
		[CALL_BEYOND] = "  # continues after the shown time",
	};

	at = replay_note_begin(lines, at);
	if (how != CALL_EXIT)
		at = replay_put_string(at, notes[how]);
	if (unreliable)
		at = replay_put_string(at, "  # events are missing within");
	return replay_note_end(lines, at);
}

char *replay_put_root(const struct replay_lines *lines, char *at, bool early)
{
	at = replay_note_begin(lines, at);
	at = replay_put_string(at, early ? "  # entered before the shown time" : "  # entered before recording began");
	return replay_note_end(lines, at);
}

char *replay_put_lost(char *at, const struct event *event)
{
	const char *plural = event->count == 1 ? "" : "s";

	if (event->cause == EVENT_LOST_UNREADABLE)
		return replay_put_string(at, "# a slice of events cannot be unpacked");
	if (event->cause == EVENT_LOST_OVERWRITTEN)
		return at + sprintf(at, "# %" PRIu64 " slice%s of events overwritten by newer ones", event->count, plural);
	if (event->cause == EVENT_LOST_UNRECORDED)
		return replay_put_string(at, "# recording continues here; earlier calls of this thread are missing");
	if (event->cause == EVENT_LOST_SLICES)
		return at + sprintf(at, "# %" PRIu64 " slice%s of events missing", event->count, plural);
	at += sprintf(at, "# %" PRIu64 " event%s lost", event->count, plural);
	if (event->cause < SPOOR_LOSS_COUNT)
		at += sprintf(at, ": %s", loss_cause_text(event->cause));
	return at;
}
