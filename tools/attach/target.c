/* SPDX-License-Identifier: MIT */
/* target.c - reads facts about a process from /proc. */
#include "attach/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "attach/inject/inject.h"
#include "base/command_name.h"
#include "base/message.h"
#include "base/system/namespaces.h"

int target_read(pid_t pid, uint64_t address, void *bytes, size_t size)
{
	struct iovec here = { bytes, size }, there = { (void *)(uintptr_t)address, size };
	ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);

	if (got < 0)
		return -errno;
	return (size_t)got == size ? 0 : -EFAULT;
}

long target_status(pid_t pid, const char *key, int base)
{
	char path[64], line[512];
	size_t length = strlen(key);
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (value < 0 && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, length) != 0 || line[length] != ':')
			continue;
		/* The state is a letter. */
		for (char *at = line + length + 1; value < 0 && *at; at++)
			if (*at != ' ' && *at != '\t')
				value = base ? (long)strtoul(at, NULL, base) : *at;
	}
	fclose(file);
	return value;
}

static int read_owner(struct target *target)
{
	char path[64];
	struct stat status;

	/* In /proc, root owns a process that may not be dumped, and only root may attach to it. */
	snprintf(path, sizeof(path), "/proc/%d", (int)target->pid);
	if (stat(path, &status) < 0)
		return -errno;
	target->uid = status.st_uid;
	target->gid = status.st_gid;
	target->other_files = namespaces_other_files(target->pid);
	return 0;
}

/* Returns an entry of the process's auxiliary vector, or 0. Sets *@error to 0 or a negative errno. */
static uint64_t read_auxiliary(pid_t pid, uint64_t type, int *error)
{
	uint64_t pair[2], value = 0;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	*error = fd < 0 ? -errno : 0;
	while (fd >= 0 && read(fd, pair, sizeof(pair)) == (ssize_t)sizeof(pair) && pair[0] != AT_NULL)
		if (pair[0] == type)
			value = pair[1];
	if (fd >= 0)
		close(fd);
	return value;
}

/* Returns -ENOEXEC if the executable is for another machine or class, or 0. */
static int check_machine(pid_t pid)
{
	Elf64_Ehdr ours, theirs;
	char path[64];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), same;

	same = fd >= 0 && read(fd, &ours, sizeof(ours)) == (ssize_t)sizeof(ours);
	if (fd >= 0)
		close(fd);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	same = same && read(fd, &theirs, sizeof(theirs)) == (ssize_t)sizeof(theirs) &&
	       ours.e_ident[EI_CLASS] == theirs.e_ident[EI_CLASS] && ours.e_machine == theirs.e_machine;
	close(fd);
	return same ? 0 : -ENOEXEC;
}

bool target_tracer_is_spoor(pid_t pid)
{
	char path[64], name[COMMAND_NAME_MAX];

	snprintf(path, sizeof(path), "/proc/%ld/comm", target_status(pid, "TracerPid", 10));
	return command_name(AT_FDCWD, path, name) && strcmp(name, "spoor") == 0;
}

int target_refuse(pid_t pid, int error)
{
	long tracer = target_status(pid, "TracerPid", 10), seccomp = target_status(pid, "Seccomp", 10);

	if (error == -ENOENT || error == -ESRCH)
		message("process %d has ended", (int)pid);
	else if (tracer > 0 && target_tracer_is_spoor(pid))
		message("cannot attach to process %d: another spoor, process %ld, is attaching to it; try again",
			(int)pid, tracer);
	else if (tracer > 0)
		message("cannot attach to process %d: process %ld (a debugger, or strace) is already attached",
			(int)pid, tracer);
	else if (seccomp > 0)
		message("cannot attach to process %d: it runs in a sandbox (seccomp)", (int)pid);
	else
		message("cannot attach to process %d: %s. It must belong to you and not have changed its user; if "
			"/proc/sys/kernel/yama/ptrace_scope is not 0, only root may attach",
			(int)pid, strerror(-error));
	return error;
}

/* Returns whether the image is a dynamic loader: the loaders of glibc and musl export this function, and a static
 * program exports none. */
static bool is_loader(const struct target *target, const struct target_image *image)
{
	return image && target_symbol(target, image, "__tls_get_addr");
}

static int check_target(struct target *target)
{
	pid_t pid = target->pid;
	bool has_loader;
	long state = target_status(pid, "State", 0);
	int error = read_owner(target);

	if (error < 0 || state < 0) {
		message("there is no process %d", (int)pid);
		return -ESRCH;
	}
	if (target_status(pid, "Tgid", 10) != pid) {
		message("%d is not a process: it is a thread of process %ld", (int)pid, target_status(pid, "Tgid", 10));
		return -ESRCH;
	}
	if (pid == getpid()) {
		message("process %d is spoor itself", (int)pid);
		return -EINVAL;
	}
	if (state == 'Z' || state == 'X') {
		message(inject_running_thread(pid) ? "cannot attach to process %d: its first thread has ended"
						 : "process %d has ended (it is a zombie)", (int)pid);
		return -ESRCH;
	}
	if (target_status(pid, "Kthread", 10) > 0) {
		message("process %d is a thread of the kernel", (int)pid);
		return -EPERM;
	}
	error = check_machine(pid);
	if (error == -ENOEXEC) {
		message("cannot attach to process %d: it is a 32-bit program, or a program for another machine",
			(int)pid);
		return error;
	}
	if (error < 0)
		return target_refuse(pid, error);
	if (target_status(pid, "TracerPid", 10) > 0)
		return target_refuse(pid, -EPERM);
	if (target_status(pid, "Seccomp", 10) > 0) {
		message("cannot attach to process %d: its seccomp filter could end it for the system calls that load a "
			"library; start it with spoor record", (int)pid);
		return -EPERM;
	}
	target->loader = read_auxiliary(pid, AT_BASE, &error);
	has_loader = target->loader;
	/* If the user runs the dynamic loader by name, the kernel starts only the loader. */
	if (error == 0 && !has_loader)
		target->loader = read_auxiliary(pid, AT_PHDR, &error) & ~(uint64_t)4095;
	if (error == 0)
		error = target_read_images(target);
	if (error < 0)
		return target_refuse(pid, error);
	if (!has_loader && !is_loader(target, target_image_at(target, target->loader))) {
		message("cannot attach to process %d: it is a static program, without a dynamic loader; link it "
			"without -static", (int)pid);
		return -ENOEXEC;
	}
	return 0;
}

int target_open(struct target *target, pid_t pid)
{
	int error;

	*target = (struct target){ .pid = pid };
	error = check_target(target);
	if (error < 0)
		target_close(target);
	return error;
}

static void forget_images(struct target *target)
{
	for (size_t i = 0; i < target->image_count; i++)
		free(target->images[i].path);
	free(target->images);
	target->images = NULL;
	target->image_count = 0;
}

void target_close(struct target *target)
{
	forget_images(target);
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static enum target_image_kind find_kind(const struct target *target, uint64_t begin, const char *path)
{
	const char *name = file_name(path);

	if (begin == target->loader)
		return TARGET_IMAGE_LOADER;
	return strcmp(name, "[vdso]") == 0 || strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-2.", 7) == 0 ||
		strncmp(name, "libpthread", 10) == 0 || strncmp(name, "libdl", 5) == 0
		       ? TARGET_IMAGE_LIBC : TARGET_IMAGE_OTHER;
}

static int add_image(struct target *target, uint64_t begin, uint64_t end, const char *path)
{
	struct target_image *images = reallocarray(target->images, target->image_count + 1, sizeof(*images));

	if (!images)
		return -ENOMEM;
	target->images = images;
	images[target->image_count] = (struct target_image){ begin, end, find_kind(target, begin, path), strdup(path) };
	return images[target->image_count++].path ? 0 : -ENOMEM;
}

int target_read_images(struct target *target)
{
	char file_path[64], line[PATH_MAX + 128];
	uint64_t begin, end, offset;
	int name_at, error = 0;
	const char *path;
	FILE *file;

	snprintf(file_path, sizeof(file_path), "/proc/%d/maps", (int)target->pid);
	file = fopen(file_path, "re");
	if (!file)
		return -errno;
	forget_images(target);
	while (!error && fgets(line, sizeof(line), file)) {
		struct target_image *last = target->image_count ? &target->images[target->image_count - 1] : NULL;

		name_at = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &begin, &end, &offset,
			   &name_at) < 3 || !name_at)
			continue;
		line[strcspn(line, "\n")] = '\0';
		path = line + name_at;
		if (last && offset && strcmp(last->path, path) == 0)
			last->end = end;
		else if (!offset && (path[0] == '/' || strcmp(path, "[vdso]") == 0))
			error = add_image(target, begin, end, path);
	}
	if (!error && ferror(file))
		error = -EIO;
	fclose(file);
	return error ? error : target->image_count ? 0 : -ESRCH;
}

const struct target_image *target_image_at(const struct target *target, uint64_t address)
{
	for (size_t i = 0; i < target->image_count; i++)
		if (address >= target->images[i].begin && address < target->images[i].end)
			return &target->images[i];
	return NULL;
}

bool target_image_is(const struct target_image *image, const char *name)
{
	const char *found = file_name(image->path);
	size_t length = strlen(name);

	if (strncmp(found, "memfd:", 6) == 0)
		found += 6;
	if (strncmp(found, name, length) != 0)
		return false;
	found += length;
	/* The version after the soname's: libspoor.so.0.0.0. */
	found += strspn(found, ".0123456789");
	return !*found || strcmp(found, " (deleted)") == 0;
}

const struct target_image *target_image_named(const struct target *target, const char *name)
{
	for (size_t i = 0; i < target->image_count; i++)
		if (target_image_is(&target->images[i], name))
			return &target->images[i];
	return NULL;
}
