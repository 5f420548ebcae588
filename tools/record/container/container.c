/* SPDX-License-Identifier: MIT */
/* container.c - spoor record --container: prepares what a program in a container needs to reach the recorder. */
#include "record/container/container.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "record/container/container_files.h"
#include "base/message.h"
#include "base/installed_paths.h"

#define OUT_OF_THE_WAY 500	/* a descriptor number that programs do not expect */

/* Returns 0 or a negative errno. */
static int open_door(struct record_container *container, struct recorder *recorder, char *name)
{
	/* The recorder may be stopped while its queue is full. */
	const struct timeval patience = { .tv_usec = 200000 };
	struct stat status;
	int ends[2], error;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	container->inherited_fd = fcntl(ends[1], F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	if (container->inherited_fd < 0)
		container->inherited_fd = ends[1];
	else
		close(ends[1]);
	setsockopt(container->inherited_fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	error = fstat(container->inherited_fd, &status) < 0 ? -errno :
		recorder_door_name(name, RECORDER_NAME_BYTES, container->inherited_fd, status.st_ino);
	if (!error)
		error = recorder_open_door(recorder, ends[0]);
	if (error)
		close(ends[0]);
	return error;
}

int record_container_begin(struct record_container *container, const char *root, bool trap, struct recorder *recorder,
			   char *name)
{
	static char paths[2][PATH_MAX];
	const char *list[] = { paths[0], trap ? paths[1] : NULL, NULL };
	int error = spoor_part_path(SPOOR_PART_RUNTIME, paths[0], PATH_MAX);

	if (!error && trap)
		error = spoor_part_path(SPOOR_PART_TRAP, paths[1], PATH_MAX);
	if (!error)
		error = open_door(container, recorder, name);
	if (error) {
		message("--container: %s", strerror(-error));
		return SPOOR_EXIT_BAD_TRACE;
	}
	return *root && container_files_begin(&container->files, root, list) ? SPOOR_EXIT_BAD_TRACE : 0;
}

void record_container_end(struct record_container *container)
{
	container_files_end(container->files);
	if (container->inherited_fd > 0)
		close(container->inherited_fd);
	*container = (struct record_container){ 0 };
}
