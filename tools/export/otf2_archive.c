/* SPDX-License-Identifier: MIT */
/*
 * otf2_archive.c - opens libotf2's archive, gives it memory, and handles its errors.
 *
 * Invariants
 *   I1  libotf2 is not called after the output has an error: after a failed write libotf2 frees memory
 *       twice.
 */
#include <errno.h>
#include <stdlib.h>

#include "export/otf2.h"
#include "base/message.h"

#define EVENT_CHUNK_BYTES (1u << 20)
#define DEFINITION_CHUNK_BYTES (4u << 20)

/* Prints one line for an error of libotf2, because libotf2's own message has several lines. */
static OTF2_ErrorCode report(void *context, const char *file, uint64_t line, const char *function,
OTF2_ErrorCode code,
			     const char *format, va_list arguments)
{
	struct export *export = context;

	(void)file, (void)line, (void)function, (void)format, (void)arguments;
	if (!export->otf2->reported && code != OTF2_ERROR_ENOSPC)
		message("libotf2: %s", OTF2_Error_GetDescription(code));
	export->otf2->reported = true;
	if (!export->out.error)
		export->out.error = code == OTF2_ERROR_ENOSPC ? -ENOSPC : -EIO;
	return code;
}

void otf2_set_error(struct export *export, OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS && !export->out.error)
		export->out.error = code == OTF2_ERROR_ENOSPC ? -ENOSPC : -EIO;
}

/* Tells libotf2 to write a full chunk to the disk. */
static OTF2_FlushType flush(void *context, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void)context, (void)type, (void)location, (void)caller, (void)final;
	return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = { .otf2_pre_flush = flush };

/*
 * Returns the place of a spare chunk, which the previous location left, or NULL for other types of
 * files. All chunks of a type have the same size. libotf2 clears each new chunk: in new memory that is a
 * thousand page faults, 2 ms for a thread.
 */
static void **spare_of(void *context, OTF2_FileType type)
{
	struct export_otf2 *otf2 = ((struct export *)context)->otf2;

	return type == OTF2_FILETYPE_EVENTS ? &otf2->spare_events :
	       type == OTF2_FILETYPE_LOCAL_DEFS ? &otf2->spare_definitions : NULL;
}

/* Gives a buffer one chunk. Without a second one libotf2 flushes the buffer instead of growing it. */
static void *allocate(void *context, OTF2_FileType type, OTF2_LocationRef location, void **chunk, uint64_t size)
{
	void **spare = spare_of(context, type);

	(void)location;
	if (*chunk)
		return NULL;
	if (!spare || !*spare)
		return *chunk = malloc(size);
	*chunk = *spare;
	*spare = NULL;
	return *chunk;
}

static void free_all(void *context, OTF2_FileType type, OTF2_LocationRef location, void **chunk, bool final)
{
	void **spare = spare_of(context, type);

	(void)location, (void)final;
	if (spare && !*spare)
		*spare = *chunk;
	else
		free(*chunk);
	*chunk = NULL;
}

static const OTF2_MemoryCallbacks memory_callbacks = { .otf2_allocate = allocate, .otf2_free_all = free_all };

void otf2_open(struct export *export)
{
	struct export_otf2 *otf2 = export->otf2;

	OTF2_Error_RegisterCallback(report, export);
	otf2->attributes = OTF2_AttributeList_New();
	otf2->archive = OTF2_Archive_Open(export->output_path, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK_BYTES,
					  DEFINITION_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!export->out.error && (!otf2->attributes || !otf2->archive))
		export->out.error = -EIO;
	OTF2_TRY(export, OTF2_Archive_SetFlushCallbacks(otf2->archive, &flush_callbacks, export));
	OTF2_TRY(export, OTF2_Archive_SetMemoryCallbacks(otf2->archive, &memory_callbacks, export));
	OTF2_TRY(export, OTF2_Archive_SetSerialCollectiveCallbacks(otf2->archive));
	OTF2_TRY(export, OTF2_Archive_SetCreator(otf2->archive, "spoor"));
	OTF2_TRY(export, OTF2_Archive_OpenEvtFiles(otf2->archive));
	OTF2_TRY(export, OTF2_Archive_OpenDefFiles(otf2->archive));
}

void otf2_close(struct export *export)
{
	struct export_otf2 *otf2 = export->otf2;

	if (otf2->archive)
		OTF2_TRY(export, OTF2_Archive_Close(otf2->archive));
	if (otf2->attributes)
		OTF2_AttributeList_Delete(otf2->attributes);
	OTF2_Error_RegisterCallback(NULL, NULL);
	free(otf2->spare_events);
	free(otf2->spare_definitions);
}
