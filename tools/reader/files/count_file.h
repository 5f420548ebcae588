/* SPDX-License-Identifier: MIT */
/* count_file.h - the counts of mode 'count': calls by dense index, all lanes added up. */
#ifndef SPOOR_READER_COUNT_FILE_H
#define SPOOR_READER_COUNT_FILE_H

#include <stdint.h>

#include "format/count_format.h"

struct count_file {
	uint64_t *counts;	/* null: none */
	uint32_t end;		/* one past the last index that was called */
	uint32_t functions;	/* that were called */
	uint64_t calls;
	uint64_t lost;		/* that no thread's counter had room for */
};

/*
 * count_file_read - what the file @name in @directory holds.
 * @path: for messages
 *
 * Return: 0, -ENOENT where there is none, -ENOMEM, or another negative errno, which has
 * been said.
 */
int count_file_read(struct count_file *file, int directory, const char *name, const char *path);
void count_file_free(struct count_file *file);

#endif
