/* SPDX-License-Identifier: MIT */
/*
 * target.h - another process that is running: whether it can be attached to, what is
 * mapped in it, and where its functions are. Read from outside; it is not stopped.
 */
#ifndef SPOOR_TOOLS_TARGET_H
#define SPOOR_TOOLS_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum target_image_kind {
	TARGET_IMAGE_OTHER,
	TARGET_IMAGE_LIBC,	/* and what stands for the kernel in the process */
	TARGET_IMAGE_LOADER,	/* the dynamic one */
};

/* One ELF file that is mapped, from its first to its last page. */
struct target_image {
	uint64_t begin, end;
	enum target_image_kind kind;
	char *path;		/* as the process's own namespace has it */
};

struct target {
	pid_t pid;
	uid_t uid;		/* whose it is */
	gid_t gid;
	bool other_files;	/* its paths may mean other files here, or none */
	uint64_t loader;	/* where the dynamic loader begins */
	struct target_image *images;
	size_t image_count;
};

/*
 * target_open - looks at the process.
 *
 * Return: 0, or a negative errno after a message that says why it cannot be attached to.
 */
int target_open(struct target *target, pid_t pid);
void target_close(struct target *target);

/* Whether the process is attached to by one of the commands of spoor, for a moment. */
bool target_tracer_is_spoor(pid_t pid);

/* Says why the kernel does not let us attach. Return: @error, as ptrace(2) had it. */
int target_refuse(pid_t pid, int error);

/* Reads anew what is mapped. Return: 0 or a negative errno. */
int target_read_images(struct target *target);

/* The image that an address lies in; null for none. */
const struct target_image *target_image_at(const struct target *target, uint64_t address);

/* Whether an image has this file name: of a file that was removed since, or of memory, too. */
bool target_image_is(const struct target_image *image, const char *name);

/* The image with this file name ("libspoor.so"); null for none. */
const struct target_image *target_image_named(const struct target *target, const char *name);

/* Return: the address of an exported function of an image (null: of any), or 0. */
uint64_t target_symbol(const struct target *target, const struct target_image *image, const char *name);

/* Return: 0, or a negative errno where not all of it could be read. */
int target_read(pid_t pid, uint64_t address, void *bytes, size_t size);

/* A line of /proc/PID/status as a number in @base; -1 where it is not there. */
long target_status(pid_t pid, const char *key, int base);

#endif
