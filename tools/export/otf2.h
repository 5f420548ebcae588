/* SPDX-License-Identifier: MIT */
/* otf2.h - what the parts of an archive in OTF2 share. */
#ifndef SPOOR_TOOLS_EXPORT_OTF2_H
#define SPOOR_TOOLS_EXPORT_OTF2_H

#include <otf2/otf2.h>

#include "export/export.h"

enum attribute {
	ATTRIBUTE_BEGIN,	/* of a call that is not entered here */
	ATTRIBUTE_END,		/* of one that does not return */
	ATTRIBUTE_TYPE, ATTRIBUTE_PAYLOAD_1, ATTRIBUTE_PAYLOAD_2, ATTRIBUTE_TIME,
	ATTRIBUTE_MISSING, ATTRIBUTE_COUNT,
	ATTRIBUTE_REAL,		/* what a parameter is whose bits are its number */
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
	OTF2_EvtWriter *writer;		/* of the thread at hand */
	OTF2_AttributeList *attributes;	/* of the next event; writing it empties the list */
	struct group *groups;
	struct location *locations;
	struct name_table texts;	/* number - 1 is that of a string */
	struct name_table parameters;	/* names, and "s" for strings, "i" for numbers with a sign, "n" for others; the same */
	uint64_t begin_ns, end_ns;	/* of all events */
	int64_t offset_ns;		/* from CLOCK_MONOTONIC to CLOCK_REALTIME */
	uint64_t last_ns;		/* of the thread's last event */
	bool said;
	void *spare_events, *spare_definitions;	/* chunks that the next location takes */
};

/* Opens the archive; an error is the output's. */
void otf2_open(struct export *export);

/* Closes what was opened, which may be nothing. */
void otf2_close(struct export *export);

/* Notes an error of libotf2's as the output's. */
void otf2_note(struct export *export, OTF2_ErrorCode code);

/* Calls libotf2, unless the output has an error already (otf2_archive.c, I1). */
#define OTF2_TRY(export, call) ((export)->out.error ? (void)0 : otf2_note((export), (call)))

/* The number of a string, which is defined in the end; sets the output's error without memory. */
uint32_t otf2_text(struct export *export, const char *string);

/* Writes all definitions; for a walk's end. */
int otf2_define(void *context);

#endif
