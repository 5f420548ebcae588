/* SPDX-License-Identifier: MIT */
/*
 * row_stream.h - the rows of a RowBinary stream. A function or path becomes a row when it is first met.
 */
#ifndef SPOOR_ROW_STREAM_H
#define SPOOR_ROW_STREAM_H

#include "export/export.h"
#include "walk/stacks/folded_stacks.h"

/* Numbers that create.sql uses too. */
enum row_kind { ROW_PROCESS = 1, ROW_THREAD, ROW_FUNCTION, ROW_PATH, ROW_CALL, ROW_EVENT, ROW_NOTE, ROW_COUNT };
enum row_flag { ROW_OUTERMOST = 1, ROW_IS_ROOT = 2, ROW_RESUMED = 4, ROW_UNRELIABLE = 8 };
enum row_event { ROW_USER, ROW_LOST, ROW_LOST_SLICES, ROW_LOST_OVERWRITTEN, ROW_UNRECORDED, ROW_EXIT, ROW_TAIL_EXIT,
		 ROW_TRACEPOINT, ROW_WAIT, ROW_PREEMPTED, ROW_SYSCALL };

/* A row without its two strings, as it is written. */
struct row {
	uint8_t kind;
	uint64_t session, process;
	uint32_t thread;
	uint64_t function, path;
	uint32_t depth;
	uint8_t flags;
	int8_t what;
	uint64_t numbers[3];
} __attribute__((packed));

/* By function number, of the current process. */
struct row_function {
	uint64_t key;		/* 0: its row is not written yet */
	uint32_t open;		/* number of open calls in the current thread */
};

struct export_rows {
	struct stacks stacks;
	uint64_t *paths;	/* by node of @stacks: its key */
	uint32_t path_count, path_capacity;
	uint32_t *nodes;	/* scratch for the nodes of one path */
	uint32_t nodes_capacity;
	struct row_function *list;
	uint32_t list_count;
	uint64_t session, process;
};

/* rows_begin - makes export->rows. Returns 0 or -ENOMEM; export_rowbinary_end() frees it in both cases. */
int rows_begin(struct export *export);

/* Begins a process, whose functions have no rows yet. */
void rows_process(struct export *export, struct process *process, struct functions *functions);

/* A row of the current process without other contents. */
struct row rows_new(const struct export *export, enum row_kind kind);

/* Write a row, and a string of a row whose strings are written one by one. Errors are in export->out. */
void rows_put(struct export *export, const struct row *row, const char *text_1, const char *text_2);
void rows_put_string(struct output *out, const char *string);

/*
 * rows_function - writes the row of a function the first time.
 * @number: its number in export->functions
 *
 * Returns the function, or NULL without memory, which export->out then has as its error. The next new function moves it.
 */
struct row_function *rows_function(struct export *export, uint32_t number);

/* rows_path - writes the row of the path to a new node, whose parents have theirs. @node: of rows->stacks */
void rows_path(struct export *export, uint32_t node);

#endif
