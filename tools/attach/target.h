/* SPDX-License-Identifier: MIT */
/*
 * target.h - examines another running process from outside, without stopping it: whether we can attach to it, its
 * mappings, and the addresses of its functions.
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
	TARGET_IMAGE_LIBC,	/* and the vDSO */
	TARGET_IMAGE_LOADER,	/* the dynamic loader */
};

/* A mapped ELF file, from its first to its last page. */
struct target_image {
	uint64_t begin, end;
	enum target_image_kind kind;
	char *path;		/* in the process's mount namespace */
};

struct target {
	pid_t pid;
	uid_t uid;		/* owner of the process */
	gid_t gid;
	bool other_files;	/* its paths may lead to different files here, or to none */
	uint64_t loader;	/* start of the dynamic loader */
	struct target_image *images;
	size_t image_count;
};

/*
 * target_open - examines the process.
 *
 * Returns 0, or a negative errno after a message that says why we cannot attach to it.
 */
int target_open(struct target *target, pid_t pid);
void target_close(struct target *target);

/* Returns whether the tracer of the process is a command of spoor, which detaches soon. */
bool target_tracer_is_spoor(pid_t pid);

/* Prints why the kernel does not let us attach. Returns @error, the result of ptrace(2). */
int target_refuse(pid_t pid, int error);

/* Reads the mappings again. Returns 0 or a negative errno. */
int target_read_images(struct target *target);

/* Returns the image that contains an address, or null. */
const struct target_image *target_image_at(const struct target *target, uint64_t address);

/* Returns whether an image has this file name. True also for a removed file, or a memfd. */
bool target_image_is(const struct target_image *image, const char *name);

/* Returns the image with this file name ("libspoor.so"), or null. */
const struct target_image *target_image_named(const struct target *target, const char *name);

/* Returns the address of a function that an image (null: any image) exports, or 0. */
uint64_t target_symbol(const struct target *target, const struct target_image *image, const char *name);

/* Stores the addresses of @count functions that an image exports, with 0 for a function that it does not export. */
void target_symbols(const struct target *target, const struct target_image *image, const char *const *names, size_t count,
		    uint64_t *addresses);

/* Reads memory of the process. Returns 0, or a negative errno if a part cannot be read. */
int target_read(pid_t pid, uint64_t address, void *bytes, size_t size);

/* Returns a line of /proc/PID/status as a number in @base; -1 if the line is missing. */
long target_status(pid_t pid, const char *key, int base);

#endif
