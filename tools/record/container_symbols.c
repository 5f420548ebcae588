/* SPDX-License-Identifier: MIT */
/* container_symbols.c - reads modules through the root directory of their process. */
#define _GNU_SOURCE
#include "record/container_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/container_root.h"
#include "live/follow.h"
#include "base/message.h"
#include "reader/symbols/pack_file.h"
#include "reader/symbols/symbol_pack.h"

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

static void keep(const struct symbol_file *module, const char *folder, int fd)
{
	struct symbol_file *file;
	const char *wrong = NULL;
	char source[32], *path = NULL;

	snprintf(source, sizeof(source), "/proc/self/fd/%d", fd);
	file = symbol_file_new(source, module->library, module->build_id, module->build_id_bytes, module->module_id,
			       module->count, false);
	if (!file)
		return;
	file->hooked = module->hooked;
	message_divert(ignore_message);
	if (symbol_file_check(file) && symbol_pack_path(folder, file, &path) == 0 &&
	    (mkdir(folder, 0700) == 0 || errno == EEXIST))
		wrong = pack_file(file, path);
	message_divert(NULL);
	if (wrong)
		message("%s: cannot save its names in the trace: %s", module->path, wrong);
	free(path);
	symbol_file_free(file);
}

void container_symbols_keep(const struct symbol_cache *modules, const char *trace_path, int root)
{
	char folder[PATH_MAX];

	if (snprintf(folder, sizeof(folder), "%s/" SYMBOL_PACK_FOLDER, trace_path) >= (int)sizeof(folder))
		return;
	for (size_t i = 0; i < modules->count; i++) {
		int fd = container_open_below(root, modules->files[i]->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);

		if (fd >= 0 && !is_outside(modules->files[i]->path, fd))
			keep(modules->files[i], folder, fd);
		if (fd >= 0)
			close(fd);
	}
}
