/* SPDX-License-Identifier: MIT */
/* inject_library.c - calls dlopen in another process. */
#include "attach/inject/inject_library.h"

#include <errno.h>
#include <string.h>

int inject_library_open(struct inject *inject, const struct target *target, const char *path, int flags, uint64_t *handle)
{
	uint64_t dlopen_at = target_symbol(target, NULL, "dlopen"), arguments[] = { inject_room(inject), (uint64_t)flags };
	int error;

	if (!dlopen_at)
		dlopen_at = target_symbol(target, NULL, "__libc_dlopen_mode");
	if (!dlopen_at)
		return -ENOSYS;
	error = inject_write(inject, arguments[0], path, strlen(path) + 1);
	return error ? error : inject_run(inject, dlopen_at, arguments, 2, handle);
}
