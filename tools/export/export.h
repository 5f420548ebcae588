/* SPDX-License-Identifier: MIT */
/* export.h - the state and the functions that the formats of spoor export share. */
#ifndef SPOOR_TOOLS_EXPORT_H
#define SPOOR_TOOLS_EXPORT_H

#include "walk/trace_functions.h"
#include "base/parallel_output.h"
#include "base/output.h"
#include "reader/events/tracepoint_events.h"
#include "reader/files/map64.h"
#include "reader/events/user_events.h"
#include "walk/lines/waker_functions.h"
#include "walk/stacks/stacks.h"
#include "walk/walk.h"

/* The text that all calls of a function share. */
struct export_text {
	char *text;			/* owned, not terminated; NULL: too long to be stored */
	size_t length;
	bool is_made;
};

struct export {
	struct output out;
	struct formatting formatting;	/* of the calls, in formats that use several threads */
	struct walk_choice choice;
	const struct walk *walk;	/* during the walk */
	int (*trace_end)(void *context);	/* the format's */
	bool met_none;			/* the trace has no process or thread that was chosen */
	const char *output_path;
	bool directory_is_new;

	struct process *process;
	struct functions *functions;
	const struct thread_slices *thread;
	struct call_values *values;	/* of the current event, for formats that write events as recorded; or null */
	uint32_t process_count;		/* so far, with the current one */
	uint32_t thread_count;		/* so far, in all processes */
	struct waker_functions wakers;	/* Chrome and Perfetto */
	int status;			/* of the walk, after its end: an enum spoor_exit */
	bool flat;			/* csv and json: names in each event */
	struct map64 named;		/* csv and json: number in `table`, by the function ID whose names were written */
	bool began;			/* the output has a first element; the next one needs a separator */
	uint32_t *notes;		/* a number that the format stores by function number (export_note) */
	uint32_t note_count;

	/* Perfetto: the output so far for the current thread. */
	uint64_t last_ns;
	uint32_t functions_written;
	uint8_t *libraries_written;	/* a bitmap by library_iid */
	size_t libraries_bytes;
	uint64_t lost;
	bool clocks_written;
	int64_t steady_ns, system_ns;

	char call_head[96];		/* Chrome: the text before each call of the thread, */
	size_t call_head_length;
	struct export_text *call_texts;	/* ... and the text of each function, by function number */
	uint32_t call_text_count;
	struct version0_writer *spoor;	/* Microsoft's Spoor */
	bool compressed;
	struct export_ctf *ctf;
	struct export_otf2 *otf2;
	struct export_firefox *firefox;
	struct trace_functions table;	/* for CTF, OTF2, Firefox, symbols, csv and json */
	struct export_rows *rows;	/* RowBinary */
	struct name_table names;	/* speedscope: frames; Chrome: places; Firefox: strings */
	uint64_t calls, most_calls;	/* speedscope: of the current thread; of the busiest one, */
	uint32_t busiest;		/* ... and its position */
	uint32_t *lines;		/* speedscope: line of each frame; 0: unknown */
	uint32_t line_count;
	uint64_t begin_ns;		/* zero of the times that the format writes */
};

/* Set @sink to write a format. The sink's context is the struct export. */
void export_csv(struct walk_sink *sink);
void export_chrome(struct walk_sink *sink);
void export_perfetto(struct walk_sink *sink);
void export_rowbinary(struct walk_sink *sink);
void export_spoor(struct walk_sink *sink);
void export_speedscope(struct walk_sink *sink);
void export_json(struct walk_sink *sink);
void export_ctf(struct walk_sink *sink);
void export_otf2(struct walk_sink *sink);
void export_firefox(struct walk_sink *sink);
void export_symbols(struct walk_sink *sink);

/* Write call paths in a format. Return 0, or a negative errno. */
int export_callgrind(struct export *export, const struct stacks *stacks);
int export_pprof(struct export *export, const struct stacks *stacks);

/* Frees the memory of the format; NULL is allowed. */
void export_rowbinary_end(struct export *export);

/*
 * Called before and after the walk, for formats that are not a single file or need a state of their own.
 * @path: a directory, which is created if it does not exist; existing files are never replaced.
 *        Firefox: a file, as in output_begin
 *
 * After a failed begin, the end must be called too.
 *
 * Return 0, or a negative errno.
 */
int export_spoor_begin(struct export *export, const char *path);
int export_spoor_end(struct export *export);
int export_ctf_begin(struct export *export, const char *path);
int export_ctf_end(struct export *export);
int export_otf2_begin(struct export *export, const char *path);
int export_otf2_end(struct export *export);
int export_firefox_begin(struct export *export, const char *path);
int export_firefox_end(struct export *export);

/* Returns why this build cannot write the format, as a sentence without its full stop, or NULL. */
const char *export_otf2_missing(void);

/*
 * Opens a directory for the files of a format. Creates it if it does not exist; write_all removes a new
 * directory that stays empty after an error. Returns a file descriptor, or a negative errno.
 */
int export_directory(struct export *export, const char *path);

/* Returns the name of the thread in a timeline. */
const char *export_thread_name(const struct export *export);

/* Set the current process and thread. Each format calls them. */
void export_process_begin(struct export *export, struct process *process, struct functions *functions);
void export_thread_begin(struct export *export, const struct thread_slices *thread);

/* Returns the kind of an event as one word. */
const char *export_event_word(const struct event *event);

/* Returns whether an event needs the names of its function: with --flat always, else if no event before has the same
 * function ID and the same names. */
bool export_needs_names(struct export *export, uint32_t function);

/* Bytes for the text of export_event_text. */
#define EXPORT_TEXT_MAX 4200

/* Writes the name of an event that is not a call: "12 events lost", or the type of a user event. */
void export_event_text(struct export *export, const struct event *event, char *text, size_t size);

struct wait_state;

/*
 * Calls @write for each event of a thread as recorded, and @write_state for each time in which the thread had no
 * processor, in the order of time. Returns 0, or a negative errno.
 */
int export_events(struct export *export, struct thread_events *events,
		  void (*write)(struct export *export, const struct event *event),
		  void (*write_state)(struct export *export, const struct wait_state *state));

/* Tells if the output has an error, which ends the walk. */
bool export_stop(void *context);

/*
 * Returns the number that a format stores for a function: 0 at first, and after export_clear_notes.
 * Returns NULL without memory, and sets the output's error.
 */
uint32_t *export_note(struct export *export, uint32_t function);
void export_clear_notes(struct export *export);

/* Frees the texts of Chrome's format for a process. */
void export_chrome_end(struct export *export);

#endif
