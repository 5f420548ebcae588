/* SPDX-License-Identifier: MIT */
/* file_bytes.h - reads and writes whole files. */
#ifndef SPOOR_FILE_BYTES_H
#define SPOOR_FILE_BYTES_H

#include <stddef.h>

/*
 * file_bytes_read - reads a file that is smaller than @limit bytes.
 * @bytes: out: the contents, which the caller frees; null after an error
 * @size:  out: their size
 *
 * Return: 0, -EFBIG, -EISDIR, -ENOMEM, or another negative errno.
 */
int file_bytes_read(const char *path, size_t limit, char **bytes, size_t *size);

/* Limit for files that people write. */
#define FILE_BYTES_TEXT_MAX ((size_t)16 << 20)

/*
 * file_bytes_write - replaces a file. If a regular file cannot be written completely, it is removed.
 * @path: null for standard output
 *
 * Return: 0, or a negative errno.
 */
int file_bytes_write(const char *path, const void *bytes, size_t size);

#endif
