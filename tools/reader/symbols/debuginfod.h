/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.h - files by their build-ids from the servers that DEBUGINFOD_URLS names.
 *
 * By elfutils' library, which keeps what it was sent in its cache, and is loaded when it is asked
 * for. A server that does not answer is not asked again.
 */
#ifndef SPOOR_READER_DEBUGINFOD_H
#define SPOOR_READER_DEBUGINFOD_H

#include <stdint.h>

enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUG_FILE };

/* Return: null, or why servers cannot be asked, a sentence without its end. */
const char *debuginfod_open(void);

/*
 * debuginfod_get - one file; says what went wrong, but not that no server has it.
 * @name: the module's, for people
 * @path: where it is in the cache; the caller's to free
 *
 * Return: 0, -ENOENT where no server has it, or another negative errno.
 */
int debuginfod_get(enum debuginfod_kind kind, const uint8_t *build_id, uint32_t build_id_bytes, const char *name,
		   char **path);

#endif
