/* SPDX-License-Identifier: MIT */
/* fuzz.h - a fuzz target, and what the targets have in common. */
#ifndef SPOOR_FUZZ_H
#define SPOOR_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's interface. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A file in memory with these bytes. Return: its descriptor, to be closed. */
int fuzz_file(const void *bytes, size_t size);

/* Its path, for what opens by name; the next call reuses the string. */
const char *fuzz_path(int file);

/* Makes a folder, in memory where there is such a place, for files that come and go with each input. */
#define FUZZ_FOLDER_MAX 64
void fuzz_folder(char folder[FUZZ_FOLDER_MAX]);

#endif
