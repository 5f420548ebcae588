/* SPDX-License-Identifier: MIT */
/* otf2_missing.c - in the place of otf2.c where there was no libotf2. */
#include <errno.h>

#include "export/export.h"

const char *export_otf2_missing(void)
{
	return "this spoor was built without libotf2: apt-get install libotf2-trace-dev, and build it again";
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
