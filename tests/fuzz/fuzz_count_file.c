/* SPDX-License-Identifier: MIT */
/*
 * fuzz_count_file.c - reads a file of counts with any header, cut off anywhere.
 *
 * Input: the header; 1 byte that says how many bytes are cut off at the end; then counters,
 * each with 4 bytes of lane, 4 of index, 8 of count.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "reader/files/count_file.h"
#include "format/trace_format.h"

#define COUNTERS_MAX 64u

struct counter {
	uint32_t lane, index;
	uint64_t count;
};

static bool has(const struct counter *counters, uint32_t count, const struct counter *counter)
{
	for (uint32_t i = 0; i < count; i++)
		if (counters[i].lane == counter->lane && counters[i].index == counter->index)
			return true;
	return false;
}

/* Reads the counters as they are in the file, each place once. */
static uint32_t take_counters(int fd, const uint8_t *bytes, size_t size, struct counter *counters)
{
	uint32_t count = 0;

	for (; size >= sizeof(*counters) && count < COUNTERS_MAX; bytes += sizeof(*counters), size -= sizeof(*counters)) {
		struct counter *counter = &counters[count];

		memcpy(counter, bytes, sizeof(*counter));
		counter->lane %= SPOOR_COUNT_LANES_MAX;
		counter->index %= SPOOR_COUNT_INDEXES;
		if (has(counters, count, counter))
			continue;
		if (pwrite(fd, &counter->count, 8, (off_t)spoor_count_offset(counter->lane, counter->index)) != 8)
			abort();
		count++;
	}
	return count;
}

static bool is_whole(const struct counter *counter, uint64_t file_bytes)
{
	return spoor_count_offset(counter->lane, counter->index) + 8 <= file_bytes;
}

/* Returns the expected number of lanes: the header's, plus further lanes up to the first without calls. */
static uint32_t lanes_read(uint32_t lanes, const struct counter *counters, uint32_t count, uint64_t file_bytes)
{
	uint64_t calls = 1;

	for (; calls && lanes < SPOOR_COUNT_LANES_MAX; lanes += calls != 0) {
		calls = 0;
		for (uint32_t i = 0; i < count; i++)
			if (counters[i].lane == lanes - 1 && is_whole(&counters[i], file_bytes))
				calls += counters[i].count;
	}
	return lanes;
}

/* Checks that the reader returns the counters of the file. */
static void verify(const struct count_file *file, const struct spoor_count_header *header, const struct counter *counters,
		   uint32_t count, uint64_t file_bytes)
{
	uint32_t end = 0, lanes = lanes_read(header->lanes, counters, count, file_bytes);
	uint64_t calls = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct counter *counter = &counters[i];

		if (counter->lane >= lanes || !counter->count || !is_whole(counter, file_bytes))
			continue;
		calls += counter->count;
		if (counter->index >= end)
			end = counter->index + 1;
	}
	if (file->calls != calls || file->end != end || file->functions > count || file->lost != header->lost)
		abort();
	calls = 0;
	for (uint32_t i = 0; i < file->end; i++)
		calls += file->counts[i];
	if (calls != file->calls)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct counter counters[COUNTERS_MAX];
	struct spoor_count_header header;
	struct count_file file;
	struct stat status;
	uint32_t count;
	int fd;

	if (size <= sizeof(header))
		return 0;
	memcpy(&header, bytes, sizeof(header));
	fd = fuzz_file(bytes, sizeof(header));
	count = take_counters(fd, bytes + sizeof(header) + 1, size - sizeof(header) - 1, counters);
	if (fstat(fd, &status) || status.st_size < bytes[sizeof(header)] ||
	    ftruncate(fd, status.st_size - bytes[sizeof(header)]) || fstat(fd, &status))
		goto close_file;
	if (count_file_read(&file, AT_FDCWD, fuzz_path(fd), "counts") == 0) {
		verify(&file, &header, counters, count, (uint64_t)status.st_size);
		count_file_free(&file);
	} else if (file.counts) {
		abort();
	}
close_file:
	close(fd);
	return 0;
}
