/* SPDX-License-Identifier: MIT */
/* otf2_missing.c - replaces otf2.c in a build without libotf2. */
#include <errno.h>

#include "export/export.h"

const char *export_otf2_missing(void)
{
	return "this spoor was built without libotf2: apt-get install libotf2-trace-dev, then build spoor again";
}

void export_otf2(struct walk_sink *sink)
{
	(void)sink;
}

int export_otf2_begin(struct export *export, const char *path)
{
	(void)export, (void)path;
	return -ENOTSUP;
}

int export_otf2_end(struct export *export)
{
	(void)export;
	return 0;
}
