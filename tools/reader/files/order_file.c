/* SPDX-License-Identifier: MIT */
/* order_file.c - reads the order of mode 'order'. */
#include "reader/files/order_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "format/trace_format.h"

static int read_header(int fd, const char *path, struct spoor_order_header *header, uint64_t *entries, bool *cut)
{
	struct stat status;
	ssize_t bytes;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	bytes = pread(fd, header, sizeof(*header), 0);
	if (bytes < 0)
		return -errno;
	if (bytes != (ssize_t)sizeof(*header) || header->magic != SPOOR_ORDER_MAGIC) {
		message("%s: not an order of functions, or damaged; the order is missing", path);
		return -EBADMSG;
	}
	if (header->version != SPOOR_TRACE_VERSION) {
		message("%s: its format is version %" PRIu32 ", and this spoor reads version %d; the order is missing",
			path,
			header->version, SPOOR_TRACE_VERSION);
		return -EBADMSG;
	}
	*entries = status.st_size < SPOOR_ORDER_ENTRIES_OFFSET ? 0 :
		   ((uint64_t)status.st_size - SPOOR_ORDER_ENTRIES_OFFSET) / sizeof(uint32_t);
	if (header->count > *entries || header->count > SPOOR_ORDER_INDEXES) {
		message("%s: cut off; the end of the order is missing", path);
		*cut = true;
		header->count = *entries > SPOOR_ORDER_INDEXES ? SPOOR_ORDER_INDEXES : (uint32_t)*entries;
	}
	return 0;
}

/* Returns the number of entries, at least @count: more may have come since, and no checksum protects the header's
 * number. */
static uint32_t count_on(int fd, uint32_t count, uint64_t entries)
{
	uint32_t piece[1024];
	bool more = true;

	while (more && count < entries && count < SPOOR_ORDER_INDEXES) {
		ssize_t bytes = pread(fd, piece, sizeof(piece), (off_t)(SPOOR_ORDER_ENTRIES_OFFSET + count * sizeof(*piece)));
		uint32_t i = 0;

		while (bytes > 0 && i < (size_t)bytes / sizeof(*piece) && piece[i] && count < SPOOR_ORDER_INDEXES)
			i++, count++;
		more = i == sizeof(piece) / sizeof(*piece);
	}
	return count;
}

static int read_entries(struct order_file *file, int fd, const char *path, uint32_t count)
{
	size_t bytes = (size_t)count * sizeof(uint32_t), done = 0;
	uint32_t wrong = 0;
	uint32_t *entries = malloc(bytes + 1);

	if (!entries)
		return -ENOMEM;
	while (done < bytes) {
		ssize_t got = pread(fd, (char *)entries + done, bytes - done, (off_t)(SPOOR_ORDER_ENTRIES_OFFSET + done));

		if (got <= 0) {
			int error = got < 0 ? -errno : -EBADMSG;

			free(entries);
			return error;
		}
		done += (size_t)got;
	}
	file->indexes = entries;
	for (uint32_t i = 0; i < count; i++) {
		if (entries[i] && entries[i] - 1 <= SPOOR_INDEX_MAX)
			file->indexes[file->count++] = entries[i] - 1;
		wrong += entries[i] > SPOOR_INDEX_MAX + 1;
	}
	if (wrong)
		message("%s: %" PRIu32 " of its %" PRIu32 " entries are damaged and skipped", path,
			wrong, count);
	file->damaged |= wrong > 0;
	return 0;
}

int order_file_read(struct order_file *file, int directory, const char *name, const char *path)
{
	struct spoor_order_header header;
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;
	uint64_t entries = 0;

	*file = (struct order_file){ 0 };
	if (fd < 0) {
		error = -errno;
		if (error != -ENOENT)
			message("%s: cannot read: %s; the order is missing", path, strerror(-error));
		return error;
	}
	error = read_header(fd, path, &header, &entries, &file->damaged);
	if (!error)
		error = read_entries(file, fd, path, count_on(fd, header.count, entries));
	if (error && error != -ENOMEM && error != -EBADMSG)
		message("%s: cannot read: %s; the order is missing", path, strerror(-error));
	close(fd);
	return error;
}

void order_file_free(struct order_file *file)
{
	free(file->indexes);
	*file = (struct order_file){ 0 };
}
