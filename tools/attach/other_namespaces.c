/* SPDX-License-Identifier: MIT */
/* other_namespaces.c - reaches a process that does not see our files or our network. */
#define _GNU_SOURCE
#include "attach/other_namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/system/container_root.h"

#define MEMORY_CLOSE_ON_EXEC 1u		/* MFD_CLOEXEC */
#define LIBRARY_NAME "libspoor.so"

/* Calls a function of the C library. Returns its result as an int, or a negative errno. */
static int64_t call_function(struct inject *inject, const struct target *target, const char *name, const uint64_t *arguments,
			     unsigned int count)
{
	uint64_t function = target_symbol(target, NULL, name), result = 0;
	int error = function ? inject_run(inject, function, arguments, count, &result) : -ENOSYS;

	if (error)
		return error;
	return (int32_t)result < 0 ? -EPERM : (int32_t)result;
}

void attach_close(struct inject *inject, const struct target *target, int64_t fd)
{
	uint64_t argument = (uint64_t)fd;

	if (fd >= 0)
		call_function(inject, target, "close", &argument, 1);
}

/* Copies the file @from. Returns 0 or a negative errno. */
static int copy_file(const char *from, int to)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC), error = fd < 0 ? -errno : container_copy(fd, to);

	if (fd >= 0)
		close(fd);
	return error;
}

/* Returns whether the process has its descriptors in /proc. */
static bool has_proc(pid_t pid)
{
	struct statfs status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root/proc", (int)pid);
	return statfs(path, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

static int put_memory(struct attach_copy *copy, struct inject *inject, const struct target *target, const char *library)
{
	uint64_t arguments[] = { inject_room(inject), MEMORY_CLOSE_ON_EXEC };
	char path[64];
	int fd, error;

	if (!has_proc(target->pid))
		return -ENOENT;
	error = inject_write(inject, arguments[0], LIBRARY_NAME, sizeof(LIBRARY_NAME));
	if (error)
		return error;
	copy->memory_fd = call_function(inject, target, "memfd_create", arguments, 2);
	if (copy->memory_fd < 0)
		return (int)copy->memory_fd;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)target->pid, (int)copy->memory_fd);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	error = fd < 0 ? -errno : copy_file(library, fd);
	if (fd >= 0)
		close(fd);
	snprintf(copy->path, sizeof(copy->path), "/proc/self/fd/%d", (int)copy->memory_fd);
	return error;
}

/* Only we and the user of the process can replace the file meanwhile. Returns 0 or a negative errno. */
static int put_file_at(struct attach_copy *copy, const struct target *target, const char *library)
{
	int fd, error;

	copy->directory = openat(copy->place, copy->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (copy->directory < 0)
		return -errno;
	fd = openat(copy->directory, LIBRARY_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
	error = fd < 0 ? -errno : copy_file(library, fd);
	/* The process may belong to another user. */
	if (!error && target->uid != geteuid() &&
	    (fchown(fd, target->uid, target->gid) < 0 || fchown(copy->directory, target->uid, target->gid) < 0))
		error = -errno;
	if (fd >= 0)
		close(fd);
	return error;
}

/* Puts the file into a new directory. A container's links cannot lead outside of the container. */
static int put_file(struct attach_copy *copy, const struct target *target, const char *library)
{
	static const char *const places[] = { "/tmp", "/dev/shm", "/var/tmp", "/run", "/" };
	char root_path[64];
	int error = -EROFS, root;
	uint32_t number = 0;

	snprintf(root_path, sizeof(root_path), "/proc/%d/root", (int)target->pid);
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0 || getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
		error = -errno;
	snprintf(copy->name, sizeof(copy->name), ".spoor-%08x", (unsigned int)number);
	for (size_t i = 0; root >= 0 && number && copy->place < 0 && i < sizeof(places) / sizeof(*places); i++) {
		copy->place = container_open_below(root, places[i], O_PATH | O_DIRECTORY);
		if (copy->place >= 0 && mkdirat(copy->place, copy->name, 0700) < 0) {
			error = -errno;
			close(copy->place);
			copy->place = -1;
		}
		snprintf(copy->path, sizeof(copy->path), "%s/%s/" LIBRARY_NAME, places[i], copy->name);
	}
	if (root >= 0)
		close(root);
	return copy->place < 0 ? error : put_file_at(copy, target, library);
}

int attach_copy_begin(struct attach_copy *copy, struct inject *inject, const struct target *target, const char *library,
		      int attempt)
{
	*copy = (struct attach_copy){ .place = -1, .directory = -1, .memory_fd = -1 };
	return attempt == 0 ? put_memory(copy, inject, target, library) : put_file(copy, target, library);
}

void attach_copy_end(struct attach_copy *copy, struct inject *inject, const struct target *target)
{
	attach_close(inject, target, copy->memory_fd);
	copy->memory_fd = -1;
	if (copy->directory >= 0) {
		unlinkat(copy->directory, LIBRARY_NAME, 0);
		close(copy->directory);
	}
	if (copy->place >= 0) {
		unlinkat(copy->place, copy->name, AT_REMOVEDIR);
		close(copy->place);
	}
	copy->place = copy->directory = -1;
}

int attach_door(struct inject *inject, const struct target *target, const struct recorder_door *door, char *name,
		int64_t *their_fd)
{
	uint64_t arguments[] = { AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, inject_room(inject) };
	int pidfd = pidfd_open(target->pid, 0), ours = -1, theirs = -1, ends[2], error;
	const struct timeval patience = { .tv_usec = 200000 };
	struct stat status;
	int64_t result;

	*their_fd = -1;
	if (pidfd < 0)
		return -errno;
	result = call_function(inject, target, "socketpair", arguments, 4);
	error = result < 0 ? (int)result : target_read(target->pid, arguments[3], ends, sizeof(ends));
	if (!error) {
		ours = pidfd_getfd(pidfd, ends[0], 0);
		theirs = pidfd_getfd(pidfd, ends[1], 0);
		error = ours < 0 || theirs < 0 || fstat(theirs, &status) < 0 ? -errno : 0;
		attach_close(inject, target, ends[0]);
		if (error)
			attach_close(inject, target, ends[1]);
		else
			*their_fd = ends[1];
	}
	/* Both descriptors refer to the same socket, so the flag holds for both. */
	if (!error)
		setsockopt(theirs, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (!error)
		error = recorder_door_name(name, RECORDER_NAME_BYTES, (int)*their_fd, status.st_ino);
	if (!error)
		error = door->open(door->recorder, ours);
	if (error && ours >= 0)
		close(ours);
	if (theirs >= 0)
		close(theirs);
	close(pidfd);
	return error;
}
