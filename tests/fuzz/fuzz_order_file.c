/* SPDX-License-Identifier: MIT */
/*
 * fuzz_order_file.c - reads a file of first executions with any header, cut off anywhere.
 *
 * Input: the header; 1 byte that says how many bytes are cut off at the end; then entries.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "reader/files/order_file.h"
#include "format/trace_format.h"

/* Checks that the reader returns the entries of the file in order: those that the header counts, and more up to 0. */
static void verify(const struct order_file *file, const struct spoor_order_header *header, const uint8_t *bytes,
		   uint64_t entries)
{
	uint32_t count = header->count < entries ? header->count : (uint32_t)entries, good = 0, next;

	for (; count < entries; count++) {
		memcpy(&next, bytes + count * sizeof(next), sizeof(next));
		if (!next)
			break;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t entry;

		memcpy(&entry, bytes + i * sizeof(entry), sizeof(entry));
		if (!entry || entry - 1 > SPOOR_INDEX_MAX)
			continue;
		if (good == file->count || file->indexes[good++] != entry - 1)
			abort();
	}
	if (good != file->count)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct spoor_order_header header;
	struct order_file file;
	uint64_t entries;
	struct stat status;
	int fd;

	if (size <= sizeof(header))
		return 0;
	memcpy(&header, bytes, sizeof(header));
	fd = fuzz_file(bytes, sizeof(header));
	bytes += sizeof(header) + 1;
	size -= sizeof(header) + 1;
	if (pwrite(fd, bytes, size, SPOOR_ORDER_ENTRIES_OFFSET) != (ssize_t)size)
		abort();
	if (fstat(fd, &status) || status.st_size < bytes[-1] || ftruncate(fd, status.st_size - bytes[-1]) ||
	    fstat(fd, &status))
		goto close_file;
	entries = status.st_size > SPOOR_ORDER_ENTRIES_OFFSET ? ((uint64_t)status.st_size - SPOOR_ORDER_ENTRIES_OFFSET) / 4 : 0;
	if (order_file_read(&file, AT_FDCWD, fuzz_path(fd), "order") == 0)
		verify(&file, &header, bytes, entries);
	else if (file.indexes)
		abort();
	order_file_free(&file);
close_file:
	close(fd);
	return 0;
}
