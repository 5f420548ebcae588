/* SPDX-License-Identifier: MIT */
/* order_file.h - reads the order of mode 'order': dense indexes by first execution. */
#ifndef SPOOR_READER_ORDER_FILE_H
#define SPOOR_READER_ORDER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/order_format.h"

struct order_file {
	uint32_t *indexes;	/* null: none */
	uint32_t count;
	bool damaged;		/* entries are missing or are no indexes; a message was written */
};

/*
 * order_file_read - reads the file @name in @directory.
 * @path: for messages
 *
 * Returns 0, -ENOENT if there is no such file, -ENOMEM, or another negative errno after a message.
 */
int order_file_read(struct order_file *file, int directory, const char *name, const char *path);
void order_file_free(struct order_file *file);

#endif
