/* SPDX-License-Identifier: MIT */
/* export.h - what the formats of spoor export have in common. */
#ifndef SPOOR_TOOLS_EXPORT_H
#define SPOOR_TOOLS_EXPORT_H

#include "walk/trace_functions.h"
#include "base/parallel_output.h"
#include "base/output.h"
#include "reader/events/tracepoint_events.h"
#include "reader/events/user_events.h"
#include "walk/stacks.h"
#include "walk/walk.h"

/* What is the same of all calls of a function. */
struct export_text {
	char *text;			/* not a string; null: too long to be kept */
	size_t length;
	bool is_made;
};

struct export {
	struct output out;
	struct formatting formatting;	/* of its calls, in formats that ask for it */
	struct walk_choice choice;
	const struct walk *walk;	/* while it goes on */
	int (*trace_end)(void *context);	/* the format's */
	bool met_none;			/* nothing of what was asked for is in the trace */
	const char *output_path;
	bool directory_is_new;

	struct process *process;
	struct functions *functions;
	const struct thread_slices *thread;
	uint32_t process_count;		/* so far, with the current one */
	uint32_t thread_count;		/* of all processes */
	int status;			/* of the walk, once it has ended: an enum spoor_exit */
	bool began;			/* something stands in the output already */
	uint32_t *notes;		/* a format's own, by function number (export_note) */
	uint32_t note_count;

	/* Perfetto: what this thread has told already. */
	uint64_t last_ns;
	uint32_t functions_told;
	uint8_t *libraries_told;	/* a bitmap */
	size_t libraries_bytes;
	uint64_t lost;
	bool clocks_told;
	int64_t steady_ns, system_ns;

	char call_head[96];		/* Chrome's, of the thread, */
	size_t call_head_length;
	struct export_text *call_texts;	/* ... and by function number */
	uint32_t call_text_count;
	struct version0_writer *spoor;	/* Spoor's */
	bool compressed;
	struct export_ctf *ctf;
	struct export_otf2 *otf2;
	struct export_firefox *firefox;
	struct trace_functions table;	/* these three's, and that of symbols */
	struct export_rows *rows;	/* RowBinary's */
	struct name_table names;	/* speedscope's frames, Chrome's places */
	uint32_t *lines;		/* speedscope's frames', by name; 0: not known */
	uint32_t line_count;
	uint64_t begin_ns;
};

/* Each fills in what a walk does for its format; the context is the struct export. */
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

/* Each writes call paths in its format. Return: 0 or a negative errno. */
int export_callgrind(struct export *export, const struct stacks *stacks);
int export_pprof(struct export *export, const struct stacks *stacks);

/* Lets go of what a walk has left there; null is none. */
void export_rowbinary_end(struct export *export);

/*
 * Around a walk, for formats that are not one file, or need more than a struct export.
 * @path: of a directory, which is made where there is none; nothing in it is replaced.
 * Firefox's: of a file, as output_begin has it
 *
 * The end is for what a failed begin has left, too.
 *
 * Return: 0 or a negative errno.
 */
int export_spoor_begin(struct export *export, const char *path);
int export_spoor_end(struct export *export);
int export_ctf_begin(struct export *export, const char *path);
int export_ctf_end(struct export *export);
int export_otf2_begin(struct export *export, const char *path);
int export_otf2_end(struct export *export);
int export_firefox_begin(struct export *export, const char *path);
int export_firefox_end(struct export *export);

/* Why a format cannot be written by this build, a sentence without its end; or null. */
const char *export_otf2_missing(void);

/* Opens a directory for the files of a trace; makes it where there is none, and then it goes again if it
 * stays empty. Return: its descriptor, or a negative errno. */
int export_directory(struct export *export, const char *path);

/* What a thread is called in a timeline. */
const char *export_thread_name(const struct export *export);

/* Remembers whose events follow; for the formats' own functions. */
void export_process_begin(struct export *export, struct process *process, struct functions *functions);
void export_thread_begin(struct export *export, const struct thread_slices *thread);

/* What an event is, in one word. */
const char *export_event_word(const struct event *event);

/* Room for the name of what is no call. */
#define EXPORT_TEXT_MAX 4200

/* The words for an event that is no call: "12 events lost", a user event's type. */
void export_event_text(struct export *export, const struct event *event, char *text, size_t size);

/* Writes each event of a thread as recorded. Return: 0 or a negative errno. */
int export_each_event(struct export *export, struct thread_events *events,
		      void (*write)(struct export *export, const struct event *event));

bool export_stop(void *context);

/*
 * What a format notes of a function: 0 at first, and after export_forget_notes. Null without memory,
 * which the output says.
 */
uint32_t *export_note(struct export *export, uint32_t function);
void export_forget_notes(struct export *export);

/* Lets go of what Chrome's format keeps of a process. */
void export_chrome_end(struct export *export);

#endif
