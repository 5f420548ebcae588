/* SPDX-License-Identifier: MIT */
/* otf2.h - the state of an archive in OTF2, shared by events, definitions and files. */
#ifndef SPOOR_TOOLS_EXPORT_OTF2_H
#define SPOOR_TOOLS_EXPORT_OTF2_H

#include <otf2/otf2.h>

#include "export/export.h"
#include "export/wait_states.h"

enum attribute {
	ATTRIBUTE_BEGIN,	/* why a call has no entry */
	ATTRIBUTE_END,		/* why a call has no return */
	ATTRIBUTE_TYPE, ATTRIBUTE_PAYLOAD_1, ATTRIBUTE_PAYLOAD_2, ATTRIBUTE_TIME,
	ATTRIBUTE_MISSING, ATTRIBUTE_COUNT,
	ATTRIBUTE_REAL,		/* the value of a parameter that has the bits of a double */
	ATTRIBUTE_FIXED,	/* number of these; the attributes for captured values follow */
};

struct location {
	uint32_t group, thread_id, name;
	uint64_t events;
};

struct group {
	uint64_t process_id;
	uint32_t name;
};

struct export_otf2 {
	OTF2_Archive *archive;
	OTF2_EvtWriter *writer;		/* of the current thread */
	OTF2_AttributeList *attributes;	/* of the next event; libotf2 empties the list when it writes the event */
	struct group *groups;
	struct location *locations;
	struct name_table texts;	/* a string's number in OTF2 is its number here - 1 */
	struct name_table parameters;	/* name, and type: "s" string, "i" signed, "n" unsigned; numbers as in texts */
	/* Names of captured values, and types: "s" string, "i" signed, "n" unsigned, "r" real. A value's attribute is its
	 * number here - 1 + ATTRIBUTE_FIXED. */
	struct name_table values;
	uint64_t begin_ns, end_ns;	/* over all events */
	int64_t offset_ns;		/* from CLOCK_MONOTONIC to CLOCK_REALTIME */
	uint64_t last_ns;		/* the last event of the thread */
	struct wait_states states;	/* of the thread */
	bool reported;			/* a message about an error has been printed */
	void *spare_events, *spare_definitions;	/* chunks that the next location uses; owned; NULL: none */
};

/* Opens the archive. Sets the output's error. */
void otf2_open(struct export *export);

/* Closes the archive, if it was opened. */
void otf2_close(struct export *export);

/* Stores an error of libotf2 as the output's error. */
void otf2_set_error(struct export *export, OTF2_ErrorCode code);

/* Calls libotf2, unless the output has an error already (otf2_archive.c, I1). */
#define OTF2_TRY(export, call) ((export)->out.error ? (void)0 : otf2_set_error((export), (call)))

/* Returns the number of a string, which is defined at the end. Without memory sets the output's error. */
uint32_t otf2_text(struct export *export, const char *string);

/* Writes all definitions at the end of the walk. Returns 0, or -EPIPE with the output's error set. */
int otf2_define(void *context);

#endif
