/* SPDX-License-Identifier: MIT */
/*
 * fuzz_pool_file.c - reads any bytes as a pool.
 *
 * Input: the bytes at the begin of the pool. They are repeated at the infos of the slices and at the
 * words of the first slice. The header determines the size of the file.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "reader/files/pool_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static uint64_t words[SPOOR_SLICE_WORDS];
	int fd = fuzz_file(bytes, size < SPOOR_POOL_INFOS_OFFSET ? size : SPOOR_POOL_INFOS_OFFSET);
	struct spoor_pool header = { 0 };
	struct pool_file pool;

	memcpy(&header, bytes, size < sizeof(header) ? size : sizeof(header));
	if (header.slice_count <= 64 && ftruncate(fd, (off_t)spoor_pool_bytes(header.slice_count)))
		abort();
	if (size > sizeof(header) &&
	    (pwrite(fd, bytes + sizeof(header), size - sizeof(header), SPOOR_POOL_INFOS_OFFSET) < 0 ||
	     pwrite(fd, bytes + sizeof(header), size - sizeof(header), (off_t)spoor_pool_slice_offset(0)) < 0))
		abort();
	if (pool_file_open(&pool, AT_FDCWD, fuzz_path(fd), "pool") == 0) {
		for (uint32_t slice = 0; slice < pool.slice_count; slice++) {
			struct spoor_slice_info info;

			if (pool_file_info(&pool, slice, &info) <= 0)
				continue;
			long count = pool_file_words(&pool, slice, &info, words);
			if (count > (long)SPOOR_SLICE_WORDS)
				abort();
		}
		pool_file_close(&pool);
	}
	close(fd);
	return 0;
}
