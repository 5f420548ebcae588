/* SPDX-License-Identifier: MIT */
/* records.c - writes the blocks of the process file, with one function for each kind. */
#define _GNU_SOURCE
#include "trace/records.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/large.h"
#include "base/libc_stack.h"
#include "format/block.h"
#include "format/clocks.h"
#include "base/time_source.h"
#include "trace/event_cost.h"
#include "base/warning.h"
#include "mode/mode.h"
#include "trace/named_things.h"
#include "base/signal_guard.h"
#include "base/rank.h"
#include "trace/trace_state.h"
#include "base/owned_file.h"

#define BODY_MAX (2 * PATH_MAX + 1024)
#define TEXT_MAX (SPOOR_NAME_BYTES_MAX + 64)

static struct {
	const char *folder;
	pid_t process_id;
	struct spoor_owned_file file;
	pthread_mutex_t lock;	/* nests in the registry's lock */
} records SPOOR_LARGE = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Linux before 4.6, and emulators, have no RWF_APPEND: writes at the current end of the file. */
static ssize_t append_bytes(int fd, void *bytes, size_t size)
{
	ssize_t written = pwritev2(fd, &(struct iovec){ bytes, size }, 1, 0, RWF_APPEND);
	struct stat status;

	if (written < 0 && (errno == ENOTSUP || errno == ENOSYS) && fstat(fd, &status) == 0)
		written = pwrite(fd, bytes, size, status.st_size);
	return written;
}

/* Writes one block completely or not at all. @bytes: room for the head, then the body */
static int write_block(enum spoor_block_kind kind, uint32_t thread_id, uint8_t *bytes, size_t body_bytes)
{
	struct spoor_block_facts facts = {
		.kind = kind,
		.session_id = spoor_configuration.session_id,
		.process_id = (uint32_t)records.process_id,
		.thread_id = thread_id,
	};
	struct spoor_signal_guard quiet;
	struct stat status;
	int error = 0, fd;
	ssize_t written;
	size_t size;
	uint64_t mask;

	spoor_clocks_read(&facts.clocks, spoor_counter_is_clock);
	size = spoor_block_seal(bytes, body_bytes, &facts);
	spoor_signal_guard_begin(&quiet);
	/* A signal handler that calls exit would write blocks too. */
	mask = spoor_signals_block();
	pthread_mutex_lock(&records.lock);
	fd = spoor_owned_file_fd(&records.file);
	written = fd < 0 ? fd : append_bytes(fd, bytes, size);
	if (written < 0) {
		error = fd < 0 ? fd : -errno;
	} else if (written != (ssize_t)size) {
		/* Half a block would make all later blocks unreadable. */
		error = -ENOSPC;
		if (fstat(fd, &status) == 0 && ftruncate(fd, status.st_size - written) < 0)
			error = -errno;
	}
	pthread_mutex_unlock(&records.lock);
	spoor_signals_restore(mask);
	spoor_signal_guard_end(&quiet);
	return error;
}

void spoor_trace_append(enum spoor_block_kind kind, uint32_t thread_id, uint8_t *bytes, size_t body_bytes)
{
	static bool warned;
	int saved = errno, error;

	if (!spoor_trace_is_ours())
		return;
	error = write_block(kind, thread_id, bytes, body_bytes);
	if (error < 0 && !__atomic_exchange_n(&warned, true, __ATOMIC_RELAXED))
		spoor_warning("cannot write %.500s/%s: %s; names will be missing", records.folder,
			      SPOOR_PROCESS_FILE, strerror(-error));
	errno = saved;
}

#define HEAD sizeof(struct spoor_block)

_Static_assert((int)SPOOR_MODE_LOG == SPOOR_MODE_NUMBER_LOG && (int)SPOOR_MODE_RING == SPOOR_MODE_NUMBER_RING &&
	       (int)SPOOR_MODE_COUNT == SPOOR_MODE_NUMBER_COUNT && (int)SPOOR_MODE_OFF == SPOOR_MODE_NUMBER_OFF &&
	       (int)SPOOR_MODE_ORDER == SPOOR_MODE_NUMBER_ORDER,
	       "trace_format.h");

/* Reads the first line of a file of /proc. Returns whether that worked. */
static bool read_line(const char *path, char text[128])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? fd : read(fd, text, 127);

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	*strchrnul(text, '\n') = '\0';
	return true;
}

/* The monotonic clock's offset in a time name space, in seconds, as in "+5.000000000"; "" if there is none. */
static void read_clock_offset(char offset[64])
{
	long long seconds, nanoseconds;
	char text[128];

	*offset = '\0';
	if (read_line("/proc/self/timens_offsets", text) &&
	    sscanf(text, "monotonic %lld %lld", &seconds, &nanoseconds) == 2 && (seconds || nanoseconds))
		snprintf(offset, 64, "%+lld.%09lld", seconds, nanoseconds);
}

/* Adds where the process runs: its boot, host and PID name space, which tell it from other processes with its
 * number. */
static char *put_place(char *at, const char *end)
{
	char text[64], boot[128], offset[64];
	struct utsname system;
	ssize_t length = readlink("/proc/self/ns/pid", text, sizeof(text) - 1);

	read_clock_offset(offset);
	if (read_line("/proc/sys/kernel/random/boot_id", boot))
		at += snprintf(at, (size_t)(end - at), "boot=%s%s", boot, offset) + 1;
	if (uname(&system) == 0)
		at += snprintf(at, (size_t)(end - at), "host=%s", system.nodename) + 1;
	if (length < 6)
		return at;
	text[length] = '\0';	/* "pid:[4026531836]" */
	return at + snprintf(at, (size_t)(end - at), "pid_namespace=%.*s", (int)strspn(text + 5, "0123456789"), text + 5) + 1;
}

/* Writes the keys that are in every trace. The command line may contain secrets of the user, and is left out. */
static int append_process(void)
{
	static uint8_t bytes[HEAD + BODY_MAX] SPOOR_LARGE;	/* too large for small stacks */
	char *at = (char *)bytes + HEAD, *end = at + BODY_MAX;
	uint64_t cost_ps;

	at += snprintf(at, (size_t)(end - at), "executable=%s", spoor_executable_path()) + 1;
	at += snprintf(at, (size_t)(end - at), "process=%d", getpid()) + 1;
	at += snprintf(at, (size_t)(end - at), "parent=%d", getppid()) + 1;
	at += snprintf(at, (size_t)(end - at), "name=%s", program_invocation_short_name) + 1;
	if (*spoor_rank())
		at += snprintf(at, (size_t)(end - at), "rank=%s", spoor_rank()) + 1;
	if (spoor_counter_is_clock)
		at += snprintf(at, (size_t)(end - at), "counter=clock") + 1;
	at += snprintf(at, (size_t)(end - at), "mode=%s", spoor_configuration_mode_name(spoor_mode_now())) + 1;
	/* In each mode, because the mode may change later. */
	cost_ps = spoor_event_cost_ps();
	if (cost_ps)
		at += snprintf(at, (size_t)(end - at), "event_cost_ps=%llu", (unsigned long long)cost_ps) + 1;
	at = put_place(at, end);
	return write_block(SPOOR_BLOCK_PROCESS, 0, bytes, (size_t)(at - (char *)bytes) - HEAD);
}

int spoor_trace_records_begin(const char *folder)
{
	int error;

	records.folder = folder;
	records.process_id = getpid();
	error = spoor_owned_file_create(&records.file, folder, SPOOR_PROCESS_FILE);
	return error < 0 ? error : append_process();
}

void spoor_trace_mode(enum spoor_mode mode)
{
	uint8_t bytes[HEAD + sizeof(struct spoor_mode_record)];
	struct spoor_mode_record record = { .mode = mode, .counter = spoor_counter() };

	memcpy(bytes + HEAD, &record, sizeof(record));
	spoor_trace_append(SPOOR_BLOCK_MODE, 0, bytes, sizeof(record));
}

void spoor_trace_tracepoint(const struct spoor_tracepoint *record, const char *name, const char *path)
{
	uint8_t bytes[HEAD + sizeof(*record) + 2 * (SPOOR_NAME_BYTES_MAX + 1)], *at = bytes + HEAD;
	size_t name_bytes = strlen(name) + 1, path_bytes = strlen(path) + 1;

	memcpy(at, record, sizeof(*record));
	memcpy(at + sizeof(*record), name, name_bytes);
	memcpy(at + sizeof(*record) + name_bytes, path, path_bytes);
	spoor_trace_append(SPOOR_BLOCK_TRACEPOINT, 0, bytes, sizeof(*record) + name_bytes + path_bytes);
}

void spoor_trace_text(enum spoor_block_kind kind, uint32_t thread_id, const void *record, size_t record_bytes,
		      const char *text)
{
	uint8_t bytes[HEAD + TEXT_MAX];
	size_t length = strnlen(text, TEXT_MAX - record_bytes);

	memcpy(bytes + HEAD, record, record_bytes);
	memcpy(bytes + HEAD + record_bytes, text, length);
	spoor_trace_append(kind, thread_id, bytes, record_bytes + length);
}

void spoor_trace_thread(uint32_t thread_id, const char *name)
{
	uint8_t bytes[HEAD + 64];
	size_t length = strnlen(name, 63);

	memcpy(bytes + HEAD, name, length);
	spoor_trace_append(SPOOR_BLOCK_THREAD, thread_id, bytes, length);
}

void spoor_trace_roots(uint32_t thread_id, struct spoor_block *block, size_t body_bytes)
{
	spoor_trace_append(SPOOR_BLOCK_ROOTS, thread_id, (uint8_t *)block, body_bytes);
}

bool spoor_trace_is_idle(void)
{
	if (pthread_mutex_trylock(&records.lock) != 0)
		return false;
	pthread_mutex_unlock(&records.lock);
	return true;
}

void spoor_trace_thread_lost(const struct spoor_thread *thread)
{
	struct spoor_thread_lost record = {
		.thread_serial = thread->serial,
		.events = __atomic_load_n(&thread->lost, __ATOMIC_RELAXED),
	};

	if (record.events)
		spoor_trace_text(SPOOR_BLOCK_THREAD_LOST, thread->thread_id, &record, sizeof(record), "");
}

void spoor_trace_records_end(void)
{
	uint8_t bytes[HEAD];

	spoor_trace_append(SPOOR_BLOCK_END, 0, bytes, 0);
}

void spoor_trace_records_close(void)
{
	spoor_owned_file_close(&records.file);
}

void spoor_trace_records_forget(void)
{
	spoor_owned_file_close(&records.file);
	pthread_mutex_init(&records.lock, NULL);
}
