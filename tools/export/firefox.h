/* SPDX-License-Identifier: MIT */
/* firefox.h - the state of a Firefox profile, shared by threads and tables. */
#ifndef SPOOR_TOOLS_EXPORT_FIREFOX_H
#define SPOOR_TOOLS_EXPORT_FIREFOX_H

#include "export/export.h"

enum column { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_WEIGHT, MARKER_NAME, MARKER_TIME, MARKER_DATA, COLUMNS };

struct path_node {
	uint32_t prefix;		/* the caller's node; 0: the first call of a thread */
	uint32_t function;		/* number in export->table */
};

struct export_firefox {
	struct output columns[COLUMNS];
	uint64_t samples, markers;	/* of the current thread */

	/* Call paths of all threads. Node 0 is no call. */
	struct path_node *nodes;
	uint32_t node_count, node_capacity;
	struct map64 children;		/* prefix and function to node */
	uint32_t *path;			/* nodes of the open calls; the first is 0 */
	size_t path_capacity;

	uint32_t node;			/* the innermost open call of the thread, */
	uint64_t since_ns;		/* ... and the time of the last entry or exit */
	uint64_t last_ns;		/* time of the last marker */
	struct name_table files, libraries;
};

/* Returns the index of a string, which is written at the end. Without memory sets the output's error. */
uint32_t export_firefox_string(struct export *export, const char *text);

/* Write a comma and a member of an object. A number that a double cannot represent becomes a string. */
void export_firefox_put_text(struct output *out, const char *key, const char *text);
void export_firefox_put_number(struct output *out, const char *key, uint64_t number);
void export_firefox_put_signed(struct output *out, const char *key, int64_t number);

/* Writes the profile up to the threads. All times count from the begin of the first process. */
void export_firefox_head(struct output *out, const char *product, int64_t system_ns, uint64_t steady_ns);

/* Writes the tables to which threads refer, and the end of the profile. */
void export_firefox_tables(struct export *export);

#endif
