/* SPDX-License-Identifier: MIT */
/* order_file.h - the order of mode 'order': dense indexes by first execution. */
#ifndef SPOOR_READER_ORDER_FILE_H
#define SPOOR_READER_ORDER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/order_format.h"

struct order_file {
	uint32_t *indexes;	/* null: none */
	uint32_t count;
	bool damaged;		/* something of it is missing, or no index, which has been said */
};

/*
 * order_file_read - what the file @name in @directory holds.
 * @path: for messages
 *
 * Return: 0, -ENOENT where there is none, -ENOMEM, or another negative errno, which has
 * been said.
 */
int order_file_read(struct order_file *file, int directory, const char *name, const char *path);
void order_file_free(struct order_file *file);

#endif
