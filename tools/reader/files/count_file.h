/* SPDX-License-Identifier: MIT */
/* count_file.h - reads the counts of mode 'count': calls by dense index, the sum of all lanes. */
#ifndef SPOOR_READER_COUNT_FILE_H
#define SPOOR_READER_COUNT_FILE_H

#include <stdint.h>

#include "format/count_format.h"

struct count_file {
	uint64_t *counts;	/* null: none */
	uint32_t end;		/* one past the last index with calls */
	uint32_t functions;	/* number of functions with calls */
	uint64_t calls;
	uint64_t lost;		/* calls for which no lane had a counter */
};

/*
 * count_file_read - reads the file @name in @directory.
 * @path: for messages
 *
 * Returns 0, -ENOENT if there is no such file, -ENOMEM, or another negative errno after a message.
 */
int count_file_read(struct count_file *file, int directory, const char *name, const char *path);
void count_file_free(struct count_file *file);

#endif
