/* SPDX-License-Identifier: MIT */
/*
 * output.h - writes text and bytes to a descriptor through one large buffer.
 *
 * Formats numbers without printf: replay and export write tens of millions of lines a second.
 *
 * Invariants
 *   I1  used <= OUTPUT_BYTES.
 *   I2  After an error nothing more is written. output_end returns the error.
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
	int error;	/* negative errno of the first failed write */
	size_t used;
	uint64_t written;	/* bytes written to the descriptor */
	char *buffer;
	/* Receives the bytes instead of the descriptor (parallel_output.h); null: the descriptor does. */
	void (*take)(void *context, const char *bytes, size_t count);
	void *take_context;
	char *path, *begun;	/* the final and the temporary name of the file; null: it has its name */
};

/*
 * output_begin - begins to write a file, or stdout if @path is null or "-".
 *
 * The output writes a temporary file in the same directory, which replaces the file when the output
 * ends. If the directory allows no other file, the output writes the file itself. A fatal signal
 * removes the temporary file, unless the signal is ignored or handled; only the file that was begun
 * last has this protection.
 *
 * Returns 0, or a negative errno of open(2), -ENOMEM.
 */
int output_begin(struct output *out, const char *path);

/* output_begin_read_along - as output_begin, but writes the file itself, because a reader follows it. */
int output_begin_read_along(struct output *out, const char *path);

/*
 * output_begin_in - creates a new file in @directory that only its owner may read.
 *
 * Returns the same as output_begin, or -EEXIST.
 */
int output_begin_in(struct output *out, int directory, const char *name);

/*
 * output_begin_temporary - creates a file without a name, in TMPDIR or /tmp.
 *
 * Returns the same as output_begin.
 */
int output_begin_temporary(struct output *out);

/* output_begin_stderr - writes to the standard error. Returns the same as output_begin. */
int output_begin_stderr(struct output *out);

/* output_append - moves the contents of a temporary file to @out, and its error too. */
void output_append(struct output *out, struct output *temporary);

/*
 * output_end - writes the rest of the buffer and frees everything.
 *
 * Returns 0, or the first error; after an error the file to replace is unchanged. A reader that has
 * closed the pipe (EPIPE) is no error.
 */
int output_end(struct output *out);

/*
 * output_end_with - as output_end. If @status is bad and no byte was written, the file to replace is
 * unchanged.
 */
int output_end_with(struct output *out, int status);

/* output_drop - discards the written bytes: if the status is bad at the end, the file is unchanged. */
void output_drop(struct output *out);

/*
 * output_warn_if_large - warns if a finished output is larger than the usual viewer can show.
 * @path:     the same as for output_begin
 * @holds_mb: the size that @viewer can show, roughly
 * @instead:  suggests a smaller output, apart from a part of the trace
 */
void output_warn_if_large(const struct output *out, const char *path, const char *viewer, uint32_t holds_mb,
		      const char *instead);

/* Returns whether a write has failed, so that later writes are useless. */
static inline bool output_failed(const struct output *out)
{
	return out->error != 0;
}

/* Prepares the tables for writing numbers. */
void output_numbers_begin(void);

void output_flush(struct output *out);

/* Writes to the descriptor, even if `take` is set, and before the contents of the buffer. */
void output_write_through(struct output *out, const char *bytes, size_t count);
void output_put_large(struct output *out, const void *bytes, size_t count);

/* Returns room for @count <= OUTPUT_BYTES bytes. The caller adds the number of bytes it used to `used`. */
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

/* Writes seven bits a byte, the lowest first, as protocol buffers do. */
static inline void output_varint(struct output *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		output_char(out, (char)(number | 0x80));
	output_char(out, (char)number);
}

/* Writes @number with separators, "12,345,678", at @at, with room for OUTPUT_GROUPED_MAX. Returns its length. */
#define OUTPUT_GROUPED_MAX 32
size_t output_grouped_at(char *at, uint64_t number);

/* Writes @number right-aligned to @width with separators: "12,345,678". */
void output_grouped(struct output *out, uint64_t number, int width);

/* Write @ns as microseconds with three decimals, "12.345"; as milliseconds with six. */
void output_microseconds(struct output *out, uint64_t ns);
void output_milliseconds(struct output *out, uint64_t ns);

#define OUTPUT_DURATION_WIDTH 10
#define OUTPUT_DURATION_MAX 20

/*
 * output_duration_at - writes OUTPUT_DURATION_WIDTH characters, like "123.456 us" and
 * "    12 ns"; more from 1,000 seconds on. The last digit is rounded, a half upwards.
 * @at: room for OUTPUT_DURATION_MAX
 *
 * Returns the position after them. About 2 ns.
 */
char *output_duration_at(char *at, uint64_t ns);
void output_duration(struct output *out, uint64_t ns);

/* Writes a field of CSV (RFC 4180), quoted if necessary. */
void output_csv_field(struct output *out, const char *string);

/* Writes the inside of a JSON string, with escapes. Bytes that are not UTF-8 become U+FFFD. */
void output_json_string(struct output *out, const char *string);

/* Writes the inside of a string of CTF's metadata language TSDL, with escapes. Bytes that are not UTF-8 and control
 * characters become U+FFFD. */
void output_tsdl_string(struct output *out, const char *string);

/* Writes text or an attribute of XML, with escapes. Characters that XML cannot hold become U+FFFD. */
void output_xml_string(struct output *out, const char *string);

#endif
