/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.h - downloads files by build-id from the servers in DEBUGINFOD_URLS.
 *
 * Uses elfutils' library, which caches the files, and loads it when needed. A server that does not
 * answer is not queried again.
 */
#ifndef SPOOR_READER_DEBUGINFOD_H
#define SPOOR_READER_DEBUGINFOD_H

#include <stdint.h>

enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUG_FILE };

/* Returns null, or the reason why servers cannot be queried, without a full stop. */
const char *debuginfod_open(void);

/*
 * debuginfod_get - downloads one file. Prints a message about errors, except if no server has the
 * file.
 * @name: the module's, for messages
 * @path: receives its path in the cache, which the caller frees
 *
 * Returns 0, -ENOENT if no server has the file, or another negative errno.
 */
int debuginfod_get(enum debuginfod_kind kind, const uint8_t *build_id, uint32_t build_id_bytes, const char *name,
		   char **path);

#endif
