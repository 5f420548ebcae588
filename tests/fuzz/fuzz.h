/* SPDX-License-Identifier: MIT */
/* fuzz.h - the interface of a fuzz target, and functions that the targets share. */
#ifndef SPOOR_FUZZ_H
#define SPOOR_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer calls this function for each input. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Makes a file in memory with these bytes. Returns its descriptor, which the caller closes. */
int fuzz_file(const void *bytes, size_t size);

/* Returns the path of such a file. The next call reuses the string. */
const char *fuzz_path(int file);

/* Makes a folder for files that exist during one input, in memory if the system has such a place. */
#define FUZZ_FOLDER_MAX 64
void fuzz_folder(char folder[FUZZ_FOLDER_MAX]);

#endif
