/* SPDX-License-Identifier: MIT */
/* inlined_missing.c - reads no inlined calls, if spoor was built without libdw. */
#include "reader/inlined/inlined.h"

const char *inlined_add(struct inlined *inlined, const char *path)
{
	(void)inlined;
	(void)path;
	return "spoor was built without libdw, which reads inlined calls";
}
