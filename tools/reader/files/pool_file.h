/* SPDX-License-Identifier: MIT */
/*
 * pool_file.h - reads slices that are still in the pool of a process, because it was killed or is
 * still running.
 *
 * The reader does not trust the pool: it takes the states of slices from the bitmaps, and the fill
 * level of a slice in use from its words.
 */
#ifndef SPOOR_READER_POOL_FILE_H
#define SPOOR_READER_POOL_FILE_H

#include "reader/files/file_window.h"
#include "format/pool_format.h"

struct pool_file {
	struct file_window window;
	char *path;
	struct spoor_pool header;
	uint32_t slice_count;	/* whole slices in the file */
};

/*
 * pool_file_open - opens @directory/@name. Writes a message if the file is not a good pool.
 *
 * Returns 0, -ENOENT without a message if there is no such file, -EBADMSG, or another negative errno.
 */
int pool_file_open(struct pool_file *pool, int directory, const char *name, const char *path);
void pool_file_close(struct pool_file *pool);

/* Returns 1 and fills in @info if the slice holds events, 0 if it does not, or a negative errno. */
int pool_file_info(struct pool_file *pool, uint32_t slice, struct spoor_slice_info *info);

/*
 * pool_file_words - reads the events of a slice, without holes.
 * @info:  from pool_file_info; `holes` is filled in
 * @words: room for SPOOR_SLICE_WORDS
 *
 * Returns the number of words (>= 0), -ESTALE if the process has reused the slice meanwhile, or
 * another negative errno.
 */
long pool_file_words(struct pool_file *pool, uint32_t slice, struct spoor_slice_info *info, uint64_t *words);

/*
 * slice_compact - removes holes: words that are 0, and words that are no event.
 * @count: number of words that may be in use
 *
 * Trailing zeros are no holes unless they belong to an extended event.
 *
 * Returns the number of words that remain; @holes receives the number of holes between them.
 */
size_t slice_compact(uint64_t *words, size_t count, uint32_t *holes);

#endif
