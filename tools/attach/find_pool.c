/* SPDX-License-Identifier: MIT */
/* find_pool.c - finds and maps the pool of a process. */
#include "attach/find_pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/command_name.h"
#include "attach/inject/inject.h"
#include "base/message.h"
#include "base/system/namespaces.h"

#define RECORDER_LOOKS 50
#define RECORDER_PAUSE_NS 20000000
#define MEMFD_PATH "/memfd:spoor (deleted)"

/* The mapping of a pool in /proc/PID/maps. */
struct mapping {
	bool found, is_memory, is_deleted;
	dev_t device;
	ino_t inode;
	char path[PATH_MAX];
};

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* Parses one line of the list. The path is the rest of the line, and may contain any character. */
static void parse_mapping(struct live_pool *live, struct mapping *mapping, char *line)
{
	unsigned int major_number, minor_number;
	unsigned long long begin, end, offset;
	unsigned long inode;
	const char *file;
	bool is_memory, is_deleted;
	char flags[8];
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %lu %n", &begin, &end, flags, &offset, &major_number, &minor_number,
		   &inode, &at) != 7 || !at || line[at] != '/' || offset != 0 || strlen(line + at) >= PATH_MAX)
		return;
	file = strrchr(line + at, '/') + 1;
	/* In a container the library of an attached process is a memfd. */
	if (strncmp(file, "memfd:", 6) == 0)
		file += 6;
	if (strncmp(file, "libspoor.so", strlen("libspoor.so")) == 0 && !*live->runtime)
		strcpy(live->runtime, line + at);
	if (flags[3] != 's')
		return;
	is_memory = strcmp(line + at, MEMFD_PATH) == 0;
	is_deleted = ends_with(line + at, "/" SPOOR_POOL_FILE " (deleted)");
	if (!is_memory && !is_deleted && !ends_with(line + at, "/" SPOOR_POOL_FILE))
		return;
	mapping->found = true;
	mapping->is_memory = is_memory;
	mapping->is_deleted = is_deleted;
	mapping->device = makedev(major_number, minor_number);
	mapping->inode = inode;
	strcpy(mapping->path, line + at);
}

/* Finds the folder in /proc of a thread that has not ended. The process's own folder is empty after its first
 * thread has ended. */
static void find_thread(struct live_pool *live)
{
	pid_t thread = inject_running_thread(live->process_id);

	snprintf(live->thread, sizeof(live->thread), thread ? "/proc/%d/task/%d" : "/proc/%d", (int)live->process_id,
		 (int)thread);
}

/* Finds the pool that was mapped last: a forked child also has its parent's pool. */
static int read_maps(struct live_pool *live, struct mapping *mapping)
{
	char path[96], *line = NULL;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/maps", live->thread);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (getline(&line, &room, file) > 0)
		parse_mapping(live, mapping, line);
	free(line);
	fclose(file);
	return 0;
}

int live_pool_map(struct live_pool *live, int fd)
{
	struct spoor_pool header;
	struct stat status;
	void *pool;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    header.magic != SPOOR_POOL_MAGIC || header.version != SPOOR_TRACE_VERSION ||
	    header.slice_bytes != SPOOR_SLICE_BYTES || header.slice_count > SPOOR_POOL_SLICE_COUNT_MAX ||
	    (off_t)spoor_pool_bytes(header.slice_count) > status.st_size)
		return -EBADMSG;
	pool = mmap(NULL, spoor_pool_bytes(header.slice_count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pool == MAP_FAILED)
		return -errno;
	live->pool = pool;
	live->pool_bytes = spoor_pool_bytes(header.slice_count);
	live->slice_count = header.slice_count;
	return 0;
}

/* Returns whether @fd is the file that the process has mapped, and belongs to @owner. */
static bool is_mapped(const struct mapping *mapping, int fd, uid_t owner)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == mapping->inode &&
	       status.st_dev == mapping->device &&
	       (mapping->is_memory || (status.st_uid == owner && !(status.st_mode & 077)));
}

static int open_file(struct live_pool *live, const struct mapping *mapping, uid_t owner)
{
	char path[NAMESPACES_PATH_MAX];
	int fd, error;

	/* The process may have another root directory. The flags prevent waiting, and side effects of opening a
	 * device. */
	namespaces_mapped_file(live->thread, mapping->path, path);
	fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = is_mapped(mapping, fd, owner) ? live_pool_map(live, fd) : -EBADMSG;
	close(fd);
	return error;
}

static bool is_spoor(int process)
{
	char name[COMMAND_NAME_MAX];

	return command_name(process, "comm", name) && strcmp(name, "spoor") == 0;
}

/* Maps the pool if process @process has a descriptor of it. */
static int open_descriptor(struct live_pool *live, const struct mapping *mapping, int process)
{
	int folder = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = -ENOENT;
	DIR *list = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *item;

	while (error == -ENOENT && list && (item = readdir(list))) {
		struct stat status;
		int fd;

		if (fstatat(dirfd(list), item->d_name, &status, 0) < 0 || !S_ISREG(status.st_mode) ||
		    status.st_ino != mapping->inode || status.st_dev != mapping->device)
			continue;
		fd = openat(dirfd(list), item->d_name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		error = fd < 0 ? -errno : is_mapped(mapping, fd, 0) ? live_pool_map(live, fd) : -EBADMSG;
		if (fd >= 0)
			close(fd);
	}
	if (list)
		closedir(list);
	else if (folder >= 0)
		close(folder);
	return error;
}

/* Finds the recorder that has this pool. @any: set to whether other recorders run. Returns 0, -ENOENT if no
 * recorder has the pool, or another negative errno. */
static int find_recorder(struct live_pool *live, const struct mapping *mapping, bool *any)
{
	DIR *list = opendir("/proc");
	struct dirent *item;
	int error = -ENOENT;

	*any = false;
	while (error == -ENOENT && list && (item = readdir(list))) {
		int process;

		if (item->d_name[0] < '1' || item->d_name[0] > '9')
			continue;
		process = openat(dirfd(list), item->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (process < 0)
			continue;
		if (is_spoor(process)) {
			error = open_descriptor(live, mapping, process);
			*any |= atoi(item->d_name) != getpid();
		}
		if (error == 0)
			live->recorder = atoi(item->d_name);
		close(process);
	}
	if (list)
		closedir(list);
	return error;
}

/* Waits for a moment, because a process maps its pool before the recorder receives it. */
static int open_recorders(struct live_pool *live, const struct mapping *mapping)
{
	bool any;
	int error = find_recorder(live, mapping, &any);

	for (int left = RECORDER_LOOKS; error == -ENOENT && any && left > 0; left--) {
		nanosleep(&(struct timespec){ 0, RECORDER_PAUSE_NS }, NULL);
		error = find_recorder(live, mapping, &any);
	}
	return error;
}

/* Returns false for a pool that the process inherited from its parent. */
static bool is_its_own(const struct live_pool *live)
{
	char path[64], line[256], *at = NULL;
	uint32_t found = (uint32_t)live->process_id;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)live->process_id);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "NSpid:", 6) == 0 && (at = strrchr(line, '\t')))
			found = (uint32_t)strtoul(at, NULL, 10);
	if (file)
		fclose(file);
	return live->pool->process_id == found;
}

/* Handles SIGBUS: the pool was truncated while we read it. */
static void handle_bus_error(int number)
{
	static const char text[] = "spoor: ctl: the pool was truncated while spoor read it\n";

	(void)number;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(SPOOR_EXIT_BAD_TRACE);
	_exit(SPOOR_EXIT_BAD_TRACE);
}

static int open_pool(struct live_pool *live, const struct mapping *mapping, uid_t owner)
{
	int process_id = (int)live->process_id, error;

	if (mapping->is_deleted) {
		message("cannot control process %d: its trace was removed", process_id);
		return -1;
	}
	signal(SIGBUS, handle_bus_error);
	error = mapping->is_memory ? open_recorders(live, mapping) : open_file(live, mapping, owner);
	if (error == -ENOENT && mapping->is_memory)
		message("the recorder of process %d has ended: no process writes its events",
			process_id);
	else if (error == -EBADMSG)
		message("%s: not a pool, or not the pool of process %d", mapping->path, process_id);
	else if (error)
		message("%s: cannot open the pool of process %d: %s", mapping->path, process_id, strerror(-error));
	if (!error && !is_its_own(live))
		live_pool_close(live);
	return error ? -1 : 0;
}

int live_pool_open(struct live_pool *live, pid_t process_id)
{
	struct mapping mapping = { 0 };
	struct stat status;
	char path[64];
	int error;

	*live = (struct live_pool){ .process_id = process_id };
	snprintf(path, sizeof(path), "/proc/%d", (int)process_id);
	if (stat(path, &status) < 0) {
		message("there is no process %d", (int)process_id);
		return -1;
	}
	if (geteuid() != 0 && status.st_uid != geteuid()) {
		message("process %d belongs to another user: only that user and root may control it", (int)process_id);
		return -1;
	}
	find_thread(live);
	error = read_maps(live, &mapping);
	if (error) {
		message("cannot read /proc/%d/maps: %s", (int)process_id, strerror(-error));
		return -1;
	}
	if (mapping.found && open_pool(live, &mapping, status.st_uid))
		return -1;
	return 0;
}

void live_pool_close(struct live_pool *live)
{
	if (live->pool)
		munmap(live->pool, live->pool_bytes);
	live->pool = NULL;
}
