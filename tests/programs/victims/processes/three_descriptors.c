/* SPDX-License-Identifier: MIT */
/* three_descriptors.c - a library to preload, which limits the process to the standard descriptors
 * and no others. */
#include <stdlib.h>
#include <sys/resource.h>

__attribute__((constructor)) static void limit(void)
{
	if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 3, 3 }) < 0)
		abort();
}
