/* SPDX-License-Identifier: MIT */
/* file_bytes.h - whole files. */
#ifndef SPOOR_FILE_BYTES_H
#define SPOOR_FILE_BYTES_H

#include <stddef.h>

/*
 * file_bytes_read - reads a file that is smaller than @limit bytes.
 * @bytes: gets what is to be freed
 *
 * Return: 0, or a negative errno.
 */
int file_bytes_read(const char *path, size_t limit, char **bytes, size_t *size);

/* For files that people write. */
#define FILE_BYTES_TEXT_MAX ((size_t)16 << 20)

/*
 * file_bytes_write - replaces a file. One that cannot be written whole is removed.
 * @path: null is standard output
 *
 * Return: 0, or a negative errno.
 */
int file_bytes_write(const char *path, const void *bytes, size_t size);

#endif
