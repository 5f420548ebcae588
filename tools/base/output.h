/* SPDX-License-Identifier: MIT */
/*
 * output.h - text and bytes to a descriptor through one large buffer.
 *
 * Numbers are formatted here, without printf: replay and export write tens of
 * millions of lines a second.
 *
 * Invariants
 *   I1  used <= OUTPUT_BYTES.
 *   I2  after an error nothing more is written; output_end tells the error.
 */
#ifndef SPOOR_TOOLS_OUTPUT_H
#define SPOOR_TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OUTPUT_BYTES 65536u

struct output {
	int fd;
	int error;	/* negative errno of the first write that failed */
	size_t used;
	uint64_t written;	/* bytes, to the descriptor */
	char *buffer;
	/* Where bytes go that would go to the descriptor; null: there. parallel_output.h */
	void (*take)(void *context, const char *bytes, size_t count);
	void *take_context;
	char *path, *begun;	/* what the file will be called, and is meanwhile; null: it has its name */
};

/*
 * output_begin - @path null or "-" is stdout; a file is replaced when the output ends, whole or not at all:
 * meanwhile one beside it is written, unless its directory allows no other file. A signal that ends us then
 * removes that, unless it is handled or ignored before; this is so of one file at a time.
 *
 * Return: 0, or a negative errno of open(2), -ENOMEM.
 */
int output_begin(struct output *out, const char *path);

/* output_begin_read_along - as output_begin; the file is written in its place, and read meanwhile. */
int output_begin_read_along(struct output *out, const char *path);

/*
 * output_begin_in - into a file of @directory that is not there yet; only its owner may read it.
 *
 * Return: as output_begin, and -EEXIST.
 */
int output_begin_in(struct output *out, int directory, const char *name);

/*
 * output_begin_temporary - into a file without a name, in TMPDIR or /tmp.
 *
 * Return: as output_begin.
 */
int output_begin_temporary(struct output *out);

/* output_begin_stderr - to the standard error. Return: as output_begin. */
int output_begin_stderr(struct output *out);

/* output_append - what is in a temporary file, which is empty afterwards; its error is @out's. */
void output_append(struct output *out, struct output *temporary);

/*
 * output_end - writes what is left and lets go of everything.
 *
 * Return: 0, or the first error, and then the file that was to be replaced is as it was; a reader that went
 * away (EPIPE) is no error.
 */
int output_end(struct output *out);

/*
 * output_end_with - as output_end; where @status is bad and nothing was written, there is nothing to replace
 * a file with, and it stays as it was.
 */
int output_end_with(struct output *out, int status);

/* output_drop - what was written is for nobody: at an end with a bad status the file stays as it was. */
void output_drop(struct output *out);

/*
 * output_tell_size - says of an output that has ended where it is more than viewers show.
 * @path:     as output_begin had it
 * @holds_mb: what @viewer shows, and not much more
 * @instead:  what is smaller, but for a part of the trace
 */
void output_tell_size(const struct output *out, const char *path, const char *viewer, uint32_t holds_mb,
		      const char *instead);

/* Whether writing on is of any use. */
static inline bool output_failed(const struct output *out)
{
	return out->error != 0;
}

/* What numbers are written by. */
void output_numbers_begin(void);

void output_flush(struct output *out);

/* To the descriptor, whatever `take` says, and in front of all that the buffer holds. */
void output_write_through(struct output *out, const char *bytes, size_t count);
void output_put_large(struct output *out, const void *bytes, size_t count);

/* Room for @count <= OUTPUT_BYTES bytes; whoever asks adds to `used` what was taken. */
static inline char *output_room(struct output *out, size_t count)
{
	if (out->used + count > OUTPUT_BYTES)
		output_flush(out);
	return out->buffer + out->used;
}

static inline void output_put(struct output *out, const void *bytes, size_t count)
{
	if (count > OUTPUT_BYTES / 2) {
		output_put_large(out, bytes, count);
		return;
	}
	memcpy(output_room(out, count), bytes, count);
	out->used += count;
}

static inline void output_string(struct output *out, const char *string)
{
	output_put(out, string, strlen(string));
}

static inline void output_char(struct output *out, char character)
{
	*output_room(out, 1) = character;
	out->used++;
}

void output_spaces(struct output *out, size_t count);
void output_number(struct output *out, uint64_t number);
void output_hex(struct output *out, uint64_t number, unsigned int digits);

/* Seven bits a byte, the lowest first, as protocol buffers and others have it. */
static inline void output_varint(struct output *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		output_char(out, (char)(number | 0x80));
	output_char(out, (char)number);
}

/* Right-aligned to @width with thousands set apart: "12,345,678". */
void output_grouped(struct output *out, uint64_t number, int width);

/* @ns as microseconds with three decimals: "12.345"; as milliseconds with six. */
void output_microseconds(struct output *out, uint64_t ns);
void output_milliseconds(struct output *out, uint64_t ns);

#define OUTPUT_DURATION_WIDTH 10
#define OUTPUT_DURATION_MAX 20

/*
 * output_duration_at - OUTPUT_DURATION_WIDTH characters, like "123.456 us" and
 * "    12 ns"; more from 1,000 seconds on.
 * @at: room for OUTPUT_DURATION_MAX
 *
 * Return: behind them. About 2 ns.
 */
char *output_duration_at(char *at, uint64_t ns);
void output_duration(struct output *out, uint64_t ns);

/* A field as RFC 4180 has it: quoted where it must be. */
void output_csv_field(struct output *out, const char *string);

/* The inside of a JSON string: what must be escaped is; bytes that are no UTF-8 become U+FFFD. */
void output_json_string(struct output *out, const char *string);

/* The inside of a string of CTF's metadata, TSDL: what must be escaped is; bytes that are no UTF-8
 * and control characters become U+FFFD. */
void output_tsdl_string(struct output *out, const char *string);

/* Text or an attribute of XML: what must be escaped is; what XML cannot hold becomes U+FFFD. */
void output_xml_string(struct output *out, const char *string);

#endif
