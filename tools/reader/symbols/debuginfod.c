/* SPDX-License-Identifier: MIT */
/* debuginfod.c - downloads files with elfutils' library, which is loaded only if the user wants servers. */
#include "reader/symbols/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/progress.h"

#define LIBRARY "libdebuginfod.so.1"
/* Seconds in which a server must send 100 kB. elfutils' default of 90 is too long for a report. */
#define TIMEOUT "30"

/* As in <elfutils/debuginfod.h>. */
struct client;
typedef int find_function(struct client *client, const unsigned char *build_id, int build_id_bytes, char **path);
typedef int progress_function(struct client *client, long done, long total);

static struct {
	struct client *client;
	find_function *find[2];		/* by kind */
	const char *name;		/* name of the wanted file */
	int failed;			/* the error after which no server is queried again */
} servers;

/* Called about once a second. Returns 0, to continue. */
static int show(struct client *client, long done, long total)
{
	(void)client;
	if (total > 0)
		progress_print("debuginfod: %s: %.1f of %.1f MiB", servers.name, (double)done / (1 << 20),
			     (double)total / (1 << 20));
	else
		progress_print("debuginfod: %s", servers.name);
	return 0;
}

const char *debuginfod_open(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void (*set_progress)(struct client *client, progress_function *function);
	struct client *(*begin)(void);
	void *library;

	if (servers.client)
		return NULL;
	if (!urls || !urls[strspn(urls, " ")])
		return "DEBUGINFOD_URLS names no server: set it, for example to https://debuginfod.debian.net";
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return LIBRARY " cannot be loaded: install elfutils, or Debian's package libdebuginfod1";
	begin = (__typeof__(begin))dlsym(library, "debuginfod_begin");
	set_progress = (__typeof__(set_progress))dlsym(library, "debuginfod_set_progressfn");
	servers.find[DEBUGINFOD_EXECUTABLE] = (find_function *)dlsym(library, "debuginfod_find_executable");
	servers.find[DEBUGINFOD_DEBUG_FILE] = (find_function *)dlsym(library, "debuginfod_find_debuginfo");
	if (!begin || !set_progress || !servers.find[DEBUGINFOD_EXECUTABLE] || !servers.find[DEBUGINFOD_DEBUG_FILE])
		return LIBRARY " is not the library of elfutils";
	if (setenv("DEBUGINFOD_TIMEOUT", TIMEOUT, 0) == 0)
		servers.client = begin();
	if (!servers.client)
		return LIBRARY " cannot be used: out of memory, or libcurl is missing";
	set_progress(servers.client, show);
	return NULL;
}

static void print_failure(int error)
{
	if (error == -ETIME || error == -ETIMEDOUT)
		message("debuginfod: timed out after %s seconds (DEBUGINFOD_TIMEOUT); no further files are requested",
			getenv("DEBUGINFOD_TIMEOUT"));
	else
		message("debuginfod: %s: %s; no further files are requested", servers.name, strerror(-error));
}

int debuginfod_get(enum debuginfod_kind kind, const uint8_t *build_id, uint32_t build_id_bytes, const char *name, char **path)
{
	int fd;

	*path = NULL;
	if (!servers.client || servers.failed)
		return servers.failed ? servers.failed : -ENOENT;
	servers.name = name;
	fd = servers.find[kind](servers.client, build_id, (int)build_id_bytes, path);
	progress_wipe();
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	free(*path);
	*path = NULL;
	if (fd != -ENOENT) {
		servers.failed = fd;
		print_failure(fd);
	}
	return fd;
}
