/* SPDX-License-Identifier: MIT */
/* container_symbols.c - reads modules through the root directory of their process. */
#define _GNU_SOURCE
#include "record/container/container_symbols.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/container_root.h"
#include "live/follow.h"
#include "base/message.h"
#include "reader/packed/symbol_pack.h"
#include "record/module_files.h"

static void ignore_message(const char *text)
{
	(void)text;
}

void container_symbols_add(struct symbol_cache *modules, int trace, const char *trace_path, const char *folder)
{
	char path[PATH_MAX + 64];
	struct follow follow;

	snprintf(path, sizeof(path), "%s/%s", trace_path, folder);
	/* Commands that read the trace report its faults. */
	message_divert(ignore_message);
	if (follow_begin(&follow, trace, folder, path, NULL, 0, modules) == 0) {
		follow_records(&follow);
		follow_end(&follow);
	}
	message_divert(NULL);
}

static bool is_outside(const char *path, int fd)
{
	struct stat ours, theirs;

	return stat(path, &ours) == 0 && fstat(fd, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
	       ours.st_ino == theirs.st_ino;
}

void container_symbols_keep(const struct symbol_cache *modules, const char *trace_path, int root)
{
	char folder[PATH_MAX];

	if (snprintf(folder, sizeof(folder), "%s/" SYMBOL_PACK_FOLDER, trace_path) >= (int)sizeof(folder))
		return;
	for (size_t i = 0; i < modules->count; i++) {
		int fd = container_open_below(root, modules->files[i]->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);

		if (fd >= 0 && !is_outside(modules->files[i]->path, fd))
			module_file_pack(modules->files[i], folder, fd);
		if (fd >= 0)
			close(fd);
	}
}
