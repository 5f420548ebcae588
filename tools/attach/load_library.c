/* SPDX-License-Identifier: MIT */
/* load_library.c - loads a library into an attached process, or explains why it cannot. */
#include "attach/load_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "attach/frozen.h"
#include "attach/other_namespaces.h"
#include "base/message.h"

int attach_explain(const struct target *target, int error)
{
	int pid = (int)target->pid;

	if (error == -EAGAIN && process_is_frozen(target->pid))
		message("process %d is frozen: thaw its control group first", pid);
	else if (error == -EAGAIN)
		message("cannot load a library into process %d: each thread stays in the dynamic loader, malloc or "
			"similar code, or cannot be interrupted; try again", pid);
	else if (error == -ESRCH)
		message("process %d has ended", pid);
	else if (error == -EPERM)
		target_refuse(target->pid, error);
	else if (error == -EACCES)
		message("process %d may not allocate executable memory (SELinux, or a container's rules): start it "
			"with spoor record", pid);
	else if (error == -EINTR)
		message("process %d: interrupted; the process continues unchanged", pid);
	else
		message("process %d: a function that spoor called in it failed: %s; the process continues unchanged",
			pid, strerror(-error));
	return error;
}

/* Prints the dynamic loader's error. */
static void explain_load(struct inject *inject, const struct target *target, const char *path)
{
	uint64_t dlerror_at = target_symbol(target, NULL, "dlerror"), text_at = 0;
	char text[512] = "";

	if (dlerror_at && inject_run(inject, dlerror_at, NULL, 0, &text_at) == 0 && text_at) {
		for (size_t i = 0; i < sizeof(text) - 1; i++)
			if (target_read(target->pid, text_at + i, text + i, 1) < 0 || !text[i])
				break;
		text[sizeof(text) - 1] = '\0';
	}
	if (strstr(text, "static TLS"))
		message("process %d has no space left for the thread-local storage of libspoor.so (%s): start it with "
			"spoor record, or with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096",
			(int)target->pid, text);
	else
		message("process %d cannot load %s: %s", (int)target->pid, path,
			*text ? text : "the dynamic loader gives no reason");
}

int attach_open_for_all(struct inject *inject, const struct target *target, const char *path)
{
	uint64_t handle;

	return inject_library_open(inject, target, path, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD, &handle);
}

/* Loads a copy that the process can open. Returns 0 with the handle, or a negative errno without a message. */
static int open_copy(struct inject *inject, const struct target *target, const char *library, uint64_t *handle)
{
	int error = -ENOENT;

	*handle = 0;
	for (int attempt = 0; attempt < 2 && !*handle; attempt++) {
		struct attach_copy copy;

		error = attach_copy_begin(&copy, inject, target, library, attempt);
		if (!error)
			error = inject_library_open(inject, target, copy.path, RTLD_NOW | RTLD_LOCAL, handle);
		if (!error && *handle)
			attach_open_for_all(inject, target, copy.path);
		else if (!error && attempt == 1)
			explain_load(inject, target, library);
		attach_copy_end(&copy, inject, target);
		if (error == -ESRCH || error == -ENOSYS)
			break;
	}
	return error;
}

int attach_load(struct inject *inject, struct target *target, const char *name, const char *library, bool copied)
{
	uint64_t handle = 0;
	int error;

	if (target_image_named(target, name))
		return 0;
	error = copied ? open_copy(inject, target, library, &handle) :
			 inject_library_open(inject, target, library, RTLD_NOW | RTLD_LOCAL, &handle);
	if (copied && !error && !handle)
		return -ENOEXEC;
	if (copied && (error == -ENOENT || error == -EROFS || error == -EACCES || error == -EPERM || error == -ENOSPC)) {
		message("cannot copy libspoor.so into the container of process %d: it has no /proc, and no writable "
			"directory (%s); mount %s there", (int)target->pid,
			strerror(-error), library);
		return error;
	}
	if (error == -ENOSYS) {
		message("cannot attach to process %d: its C library has no dlopen; start it with spoor record",
			(int)target->pid);
		return error;
	}
	if (error < 0)
		return attach_explain(target, error);
	if (!handle) {
		explain_load(inject, target, library);
		return -ENOEXEC;
	}
	error = target_read_images(target);
	return error < 0 ? attach_explain(target, error) : 0;
}
