/* SPDX-License-Identifier: MIT */
/*
 * pool_file.h - slices that are still in the pool of a process: it was killed,
 * or it runs on while we read.
 *
 * Nothing in the pool is trusted: states come from the bitmaps, the fill level
 * of a slice in use from its words.
 */
#ifndef SPOOR_READER_POOL_FILE_H
#define SPOOR_READER_POOL_FILE_H

#include "reader/files/file_window.h"
#include "format/pool_format.h"

struct pool_file {
	struct file_window window;
	char *path;
	struct spoor_pool header;
	uint32_t slice_count;	/* whole ones in the file */
};

/*
 * pool_file_open - opens @directory/@name; says what is wrong with it, if anything.
 *
 * Return: 0, -ENOENT where there is none (says nothing), -EBADMSG, or another negative errno.
 */
int pool_file_open(struct pool_file *pool, int directory, const char *name, const char *path);
void pool_file_close(struct pool_file *pool);

/* Return: 1 with its info where slice @slice holds events, 0 where not, or a negative errno. */
int pool_file_info(struct pool_file *pool, uint32_t slice, struct spoor_slice_info *info);

/*
 * pool_file_words - the events of slice @slice, holes left out.
 * @info:  as pool_file_info gave it; `holes` is filled in
 * @words: room for SPOOR_SLICE_WORDS
 *
 * Return: how many words (>= 0), -ESTALE where the process has taken the slice
 * for something else meanwhile, or another negative errno.
 */
long pool_file_words(struct pool_file *pool, uint32_t slice, struct spoor_slice_info *info, uint64_t *words);

/*
 * slice_compact - leaves out holes: words that are 0, and words that no event is.
 * @count: of words that may hold something
 *
 * Trailing zeros are no holes unless an extended word owns them.
 *
 * Return: how many words are left; @holes is how many were left out in between.
 */
size_t slice_compact(uint64_t *words, size_t count, uint32_t *holes);

#endif
