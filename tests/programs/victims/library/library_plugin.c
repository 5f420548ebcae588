/* SPDX-License-Identifier: MIT */
/* library_plugin.c - a library that calls others, for library_storm.c. No sleds. */
#include <stdlib.h>

unsigned long crc32(unsigned long begin, const unsigned char *bytes, unsigned int count);
long work(const char *text);

long work(const char *text)
{
	return crc32(0, (const unsigned char *)"", 0) == 0 ? strtol(text, NULL, 10) : -1;
}
