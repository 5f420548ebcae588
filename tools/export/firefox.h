/* SPDX-License-Identifier: MIT */
/* firefox.h - what the parts of a Firefox profile share. */
#ifndef SPOOR_TOOLS_EXPORT_FIREFOX_H
#define SPOOR_TOOLS_EXPORT_FIREFOX_H

#include "export/export.h"

enum column { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_WEIGHT, MARKER_NAME, MARKER_TIME, MARKER_DATA, COLUMNS };

struct path_node {
	uint32_t prefix;		/* 0: it is a thread's first call */
	uint32_t function;		/* in the table */
};

struct export_firefox {
	struct output columns[COLUMNS];
	uint64_t samples, markers;	/* of the thread */

	/* Of all threads: node 0 is no call. */
	struct path_node *nodes;
	uint32_t node_count, node_capacity;
	struct map64 children;		/* prefix and function to node */
	uint32_t *path;			/* the open calls' nodes, 0 first */
	size_t path_capacity;

	uint32_t node;			/* what the thread is in, */
	uint64_t since_ns;		/* ... and since when */
	uint64_t last_ns;		/* of the last marker */
	struct name_table files, libraries;
};

/* The index of a string, which is told in the end; sets the output's error without memory. */
uint32_t export_firefox_string(struct export *export, const char *text);

/* A comma, and a member of an object; a number that a double does not hold is a string. */
void export_firefox_put_text(struct output *out, const char *key, const char *text);
void export_firefox_put_number(struct output *out, const char *key, uint64_t number);
void export_firefox_put_signed(struct output *out, const char *key, int64_t number);

/* Until the threads begin. All times are since the first process began. */
void export_firefox_head(struct output *out, const char *product, int64_t system_ns, uint64_t steady_ns);

/* What threads refer to, and the end. */
void export_firefox_tables(struct export *export);

#endif
