/* SPDX-License-Identifier: MIT */
/* fuzz_block_file.c - reads any bytes as a file of blocks. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "reader/files/block_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = fuzz_file(bytes, size);
	struct block_file file;
	struct block block;
	uint64_t end = 0;

	if (block_file_open(&file, AT_FDCWD, fuzz_path(fd), "blocks"))
		abort();
	close(fd);
	while (block_file_next(&file, &block) > 0) {
		/* The position must advance and stay within the file. */
		if (block.offset < end || file.position > size || block.body_bytes > SPOOR_BLOCK_BODY_MAX)
			abort();
		end = file.position;
	}
	if (file.position != size)
		abort();
	block_file_complain(&file, "");
	block_file_close(&file);
	return 0;
}
