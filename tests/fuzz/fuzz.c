/* SPDX-License-Identifier: MIT */
/* fuzz.c - functions that the fuzz targets share. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int fuzz_file(const void *bytes, size_t size)
{
	int file = memfd_create("fuzz", MFD_CLOEXEC);

	if (file < 0 || write(file, bytes, size) != (ssize_t)size)
		abort();
	return file;
}

const char *fuzz_path(int file)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return path;
}

void fuzz_folder(char folder[FUZZ_FOLDER_MAX])
{
	static const char *const places[] = { "/dev/shm", "/tmp" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(folder, FUZZ_FOLDER_MAX, "%s/spoor-fuzz-XXXXXX", places[i]);
		if (mkdtemp(folder))
			return;
	}
	abort();
}
