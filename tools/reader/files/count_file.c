/* SPDX-License-Identifier: MIT */
/* count_file.c - reads the counts of mode 'count'. */
#include "reader/files/count_file.h"

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

#define PIECE 8192u	/* counters read at a time */

static int read_header(int fd, const char *path, struct spoor_count_header *header)
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
	if (bytes != (ssize_t)sizeof(*header) || header->magic != SPOOR_COUNT_MAGIC) {
		message("%s: not a file of counts, or damaged; counts are missing", path);
		return -EBADMSG;
	}
	if (header->version != SPOOR_TRACE_VERSION || header->indexes != SPOOR_COUNT_INDEXES) {
		message("%s: its format is version %" PRIu32 ", and this spoor reads version %d; counts are missing",
			path,
			header->version, SPOOR_TRACE_VERSION);
		return -EBADMSG;
	}
	if (!header->lanes || header->lanes > SPOOR_COUNT_LANES_MAX) {
		message("%s: invalid sizes in its header; counts are missing", path);
		return -EBADMSG;
	}
	return 0;
}

/* Adds the counters of one lane, most of which were never written. Returns 0 or a negative errno. */
static int add_lane(struct count_file *file, int fd, uint32_t lane)
{
	off_t at = (off_t)spoor_count_offset(lane, 0), end = (off_t)spoor_count_offset(lane + 1, 0);
	uint64_t piece[PIECE];

	while (at < end) {
		off_t data = lseek(fd, at, SEEK_DATA);
		size_t room = sizeof(piece);
		uint32_t index;
		ssize_t bytes;

		if (data < 0 && errno == ENXIO)
			return 0;	/* only holes up to the end of the file */
		if (data > at)
			at = data & -8;
		if (at >= end)
			return 0;
		if ((off_t)room > end - at)
			room = (size_t)(end - at);
		bytes = pread(fd, piece, room, at);
		if (bytes < 0)
			return -errno;
		if (bytes < 8)
			return 0;
		index = (uint32_t)((uint64_t)(at - (off_t)spoor_count_offset(lane, 0)) / 8);
		for (uint32_t i = 0; i < (size_t)bytes / 8; i++, index++) {
			if (!piece[i])
				continue;
			file->functions += !file->counts[index];
			file->counts[index] += piece[i];
			file->calls += piece[i];
			if (index >= file->end)
				file->end = index + 1;
		}
		at += bytes & -8;
	}
	return 0;
}

int count_file_read(struct count_file *file, int directory, const char *name, const char *path)
{
	struct spoor_count_header header;
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;
	bool more = true;

	*file = (struct count_file){ 0 };
	if (fd < 0) {
		error = -errno;
		if (error != -ENOENT)
			message("%s: cannot read: %s; counts are missing", path, strerror(-error));
		return error;
	}
	/* Reading ahead in a sparse file would read holes. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	error = read_header(fd, path, &header);
	if (!error) {
		/* The kernel gives memory only for counters of called functions. */
		file->counts = calloc(SPOOR_COUNT_INDEXES, sizeof(*file->counts));
		error = file->counts ? 0 : -ENOMEM;
	}
	/* Another lane may have been taken since, and no checksum protects the header's number. So read until a
	 * lane has no calls. */
	for (uint32_t lane = 0; !error && more && lane < SPOOR_COUNT_LANES_MAX; lane++) {
		uint64_t calls = file->calls;

		error = add_lane(file, fd, lane);
		more = lane + 1 < header.lanes || file->calls != calls;
	}
	if (!error)
		file->lost = header.lost;
	if (error && error != -ENOMEM && error != -EBADMSG)
		message("%s: cannot read: %s; counts are missing", path, strerror(-error));
	close(fd);
	if (error)
		count_file_free(file);
	return error;
}

void count_file_free(struct count_file *file)
{
	free(file->counts);
	*file = (struct count_file){ 0 };
}
