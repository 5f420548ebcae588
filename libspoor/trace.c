/* SPDX-License-Identifier: MIT */
/* trace.c - the process's folder: made once, private, never through a link. */
#define _GNU_SOURCE
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "aside.h"
#include "block.h"
#include "board.h"
#include "clocks.h"
#include "counts.h"
#include "flush.h"
#include "flush_signal.h"
#include "message.h"
#include "mode.h"
#include "names.h"
#include "pool.h"
#include "quiet.h"
#include "rank.h"
#include "recorder_client.h"
#include "runtime.h"
#include "service.h"
#include "thread.h"
#include "trace_file.h"
#include "trigger.h"

#define FOLDERS_MAX 1000
#define BODY_MAX (2 * PATH_MAX + 1024)
#define TEXT_MAX (SPOOR_NAME_BYTES_MAX + 64)

static struct {
	enum { TRACE_NONE, TRACE_OPEN, TRACE_FAILED } state;
	pid_t process_id;
	char folder[PATH_MAX];
	struct spoor_trace_file process, events;
	pthread_mutex_t process_lock;	/* nests in the registry's */
	bool drained_here, has_pool, has_counts;
	bool recorder_alone;	/* no thread of ours in its place */
	bool made_path;		/* and not only the folder in it */
} trace = { .process_lock = PTHREAD_MUTEX_INITIALIZER };

bool spoor_trace_is_ours(void)
{
	return trace.state == TRACE_OPEN && !spoor_threads_forked();
}

bool spoor_trace_counts(void)
{
	return spoor_trace_is_ours() && __atomic_load_n(&trace.has_counts, __ATOMIC_ACQUIRE);
}

bool spoor_trace_is_drained_here(void)
{
	return trace.drained_here;
}

const char *spoor_trace_folder(void)
{
	return spoor_trace_is_ours() ? trace.folder : NULL;
}

/* A folder that did not exist: its own for every process, and after every exec. */
static int create_folder(void)
{
	const char *path = spoor_configuration.trace_path;

	trace.made_path = mkdir(path, 0700) == 0;
	if (!trace.made_path && errno != EEXIST)
		return -errno;
	for (int i = 0; i < FOLDERS_MAX; i++) {
		int length = i == 0 ? snprintf(trace.folder, sizeof(trace.folder), "%s/%d", path, getpid())
				    : snprintf(trace.folder, sizeof(trace.folder), "%s/%d.%d", path, getpid(), i);

		if (length >= (int)sizeof(trace.folder))
			return -ENAMETOOLONG;
		if (mkdir(trace.folder, 0700) == 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* Appends one block, whose body stands in @bytes behind room for the header: all of it or nothing. */
static int write_block(enum spoor_block_kind kind, uint32_t thread_id, uint8_t *bytes, size_t body_bytes)
{
	struct spoor_block_facts facts = {
		.kind = kind,
		.session_id = spoor_configuration.session_id,
		.process_id = (uint32_t)trace.process_id,
		.thread_id = thread_id,
	};
	struct spoor_quiet quiet;
	struct stat status;
	int error = 0, fd;
	ssize_t written;
	size_t size;
	uint64_t mask;

	spoor_clocks_read(&facts.clocks);
	size = spoor_block_seal(bytes, body_bytes, &facts);
	spoor_quiet_begin(&quiet);
	/* A handler that calls exit would come here again. */
	mask = spoor_signals_block();
	pthread_mutex_lock(&trace.process_lock);
	fd = spoor_trace_file_fd(&trace.process);
	written = fd < 0 ? fd : pwritev2(fd, &(struct iovec){ bytes, size }, 1, 0, RWF_APPEND);
	if (written < 0) {
		error = fd < 0 ? fd : -errno;
	} else if (written != (ssize_t)size) {
		/* Half a block would make all behind it unreadable. */
		error = -ENOSPC;
		if (fstat(fd, &status) == 0 && ftruncate(fd, status.st_size - written) < 0)
			error = -errno;
	}
	pthread_mutex_unlock(&trace.process_lock);
	spoor_signals_restore(mask);
	spoor_quiet_end(&quiet);
	return error;
}

static void append(enum spoor_block_kind kind, uint32_t thread_id, uint8_t *bytes, size_t body_bytes)
{
	static bool told;
	int saved = errno, error;

	if (!spoor_trace_is_ours())
		return;
	error = write_block(kind, thread_id, bytes, body_bytes);
	if (error < 0 && !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		spoor_message("%.500s/%s cannot be written: %s; names will be missing", trace.folder,
			      SPOOR_PROCESS_FILE, strerror(-error));
	errno = saved;
}

#define HEAD sizeof(struct spoor_block)

_Static_assert((int)SPOOR_MODE_LOG == SPOOR_MODE_NUMBER_LOG && (int)SPOOR_MODE_RING == SPOOR_MODE_NUMBER_RING &&
	       (int)SPOOR_MODE_COUNT == SPOOR_MODE_NUMBER_COUNT && (int)SPOOR_MODE_OFF == SPOOR_MODE_NUMBER_OFF,
	       "trace_format.h");

/* The keys that are in every trace; the command line is the user's secret. */
static int append_process(void)
{
	static uint8_t bytes[HEAD + BODY_MAX];	/* not for every stack */
	char *at = (char *)bytes + HEAD, *end = at + BODY_MAX;
	static char executable[PATH_MAX];

	spoor_executable_path(executable);
	at += snprintf(at, (size_t)(end - at), "executable=%s", executable) + 1;
	at += snprintf(at, (size_t)(end - at), "process=%d", getpid()) + 1;
	at += snprintf(at, (size_t)(end - at), "parent=%d", getppid()) + 1;
	at += snprintf(at, (size_t)(end - at), "name=%s", program_invocation_short_name) + 1;
	if (*spoor_rank())
		at += snprintf(at, (size_t)(end - at), "rank=%s", spoor_rank()) + 1;
	at += snprintf(at, (size_t)(end - at), "mode=%s", spoor_configuration_mode_name(spoor_mode_now())) + 1;
	return write_block(SPOOR_BLOCK_PROCESS, 0, bytes, (size_t)(at - (char *)bytes) - HEAD);
}

/* What a thread keeps in circular mode where nothing else is asked for: 2 MiB. */
#define RING_SLICES 64u

/* Makes the pool as the configuration wants it. */
static int create_pool(int fd)
{
	const struct spoor_configuration *configuration = &spoor_configuration;
	uint32_t reserved = spoor_configuration_reserved_slices(configuration), got;
	uint64_t slice_events = configuration->dynamic_slice_events;
	int error;

	spoor_pool_limits = (struct spoor_pool_limits){
		.reserved = reserved,
		.reserved_offset = (uint32_t)(SPOOR_SLICE_BYTES - 8 * configuration->reserved_slice_events),
		.dynamic_offset = (uint32_t)(SPOOR_SLICE_BYTES - 8 * slice_events),
		.thread_slices = (uint32_t)((configuration->thread_events + slice_events - 1) / slice_events),
		.borrow_attempts = (uint32_t)configuration->borrow_attempts,
		.retention_ns = (int64_t)configuration->retention_ns,
	};
	spoor_pool_limits.ring_slices = spoor_pool_limits.thread_slices ? spoor_pool_limits.thread_slices : RING_SLICES;
	error = spoor_pool_create(fd, configuration->session_id,
				  reserved + spoor_configuration_dynamic_slices(configuration), &spoor_pool);
	if (error < 0)
		return error;
	spoor_pool->unpacked = !configuration->packed;
	spoor_ring_set(spoor_pool, spoor_mode_now() == SPOOR_MODE_RING);
	spoor_pool->flush_attempts = (uint32_t)configuration->flush_attempts;
	spoor_trigger_begin(spoor_pool);
	got = spoor_pool_reserve(spoor_pool);
	if (got < reserved)
		spoor_message("there is memory for %u of the reserved %u slices of the pool", got, reserved);
	return 0;
}

/* Who drains: the recorder where there is one, else a thread of ours. */
static int begin_draining(void)
{
	struct spoor_trace_file pool_file;
	int pool_fd, error;

	spoor_pool_cannot_grow = 0;
	if (spoor_configuration.recorder[0]) {
		pool_fd = memfd_create("spoor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		error = pool_fd < 0 ? -errno : create_pool(pool_fd);
		if (error == 0)
			error = spoor_recorder_send(spoor_configuration.recorder, pool_fd, trace.folder);
		if (pool_fd >= 0)
			close(pool_fd);
		if (error == 0) {
			trace.drained_here = false;
			return 0;
		}
		spoor_pool_unmap(spoor_pool);
		spoor_pool = NULL;
		/* Whoever attached has asked for it, and for no thread. */
		if (trace.recorder_alone)
			return error;
	}

	error = spoor_trace_file_create(&pool_file, trace.folder, SPOOR_POOL_FILE);
	if (error < 0)
		return error;
	error = create_pool(pool_file.fd);
	spoor_trace_file_close(&pool_file);
	if (error < 0)
		return error;
	error = spoor_trace_file_create(&trace.events, trace.folder, SPOOR_EVENTS_FILE);
	if (error < 0)
		return error;
	trace.drained_here = true;
	return spoor_service_begin(spoor_pool, &trace.events);
}

int spoor_trace_provide(enum spoor_mode mode)
{
	bool *has = mode == SPOOR_MODE_COUNT ? &trace.has_counts : &trace.has_pool;
	struct spoor_quiet quiet;
	int error;

	if (*has)
		return 0;
	spoor_quiet_begin(&quiet);
	error = mode == SPOOR_MODE_COUNT ? spoor_counts_begin(trace.folder, spoor_configuration.session_id)
					 : begin_draining();
	spoor_quiet_end(&quiet);
	__atomic_store_n(has, error == 0, __ATOMIC_RELEASE);
	/* A pool that comes after the modules. */
	if (error == 0 && mode != SPOOR_MODE_COUNT && trace.state == TRACE_OPEN) {
		spoor_board_begin(trace.folder, !trace.drained_here);
		for (uint32_t i = 0; i < spoor_registry_count(); i++) {
			if (spoor_registry_at(i)->recorded)
				spoor_trigger_module(spoor_registry_at(i));
		}
	}
	return error;
}

/* A forked child inherits all of this, and none of it is its own. */
static void forget_parent(void)
{
	spoor_trace_file_close(&trace.process);
	spoor_trace_file_close(&trace.events);
	spoor_pool_abandon(spoor_pool);
	spoor_pool = NULL;
	spoor_counts_abandon();
	trace.has_pool = trace.has_counts = trace.drained_here = false;
	spoor_threads_forget();
	spoor_service_forget();
	spoor_flush_forget();
	for (uint32_t i = 0; i < spoor_registry_count(); i++)
		spoor_registry_at(i)->recorded = false;
	pthread_mutex_init(&trace.process_lock, NULL);
	trace.state = TRACE_NONE;
}

/* A trace that could not be begun leaves nothing behind. */
static void remove_folder(void)
{
	static const char *const names[] = { SPOOR_PROCESS_FILE, SPOOR_POOL_FILE, SPOOR_EVENTS_FILE, SPOOR_COUNTS_FILE };
	char path[PATH_MAX + 32];

	spoor_trace_file_close(&trace.process);
	spoor_trace_file_close(&trace.events);
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", trace.folder, names[i]);
		unlink(path);
	}
	rmdir(trace.folder);
	if (trace.made_path)
		rmdir(spoor_configuration.trace_path);
}

int spoor_trace_begin(void)
{
	struct spoor_quiet quiet;
	int error;

	if (spoor_threads_forked())
		forget_parent();
	if (trace.state != TRACE_NONE)
		return trace.state == TRACE_OPEN ? 0 : -ESHUTDOWN;
	trace.process_id = getpid();
	trace.state = TRACE_FAILED;

	error = create_folder();
	if (error < 0) {
		spoor_message("the trace folder %.500s cannot be made: %s; nothing is traced",
			      spoor_configuration.trace_path, strerror(-error));
		return -ESHUTDOWN;
	}
	spoor_quiet_begin(&quiet);
	error = spoor_trace_file_create(&trace.process, trace.folder, SPOOR_PROCESS_FILE);
	if (error == 0)
		error = append_process();
	if (error == 0)
		error = spoor_trace_provide(spoor_mode_now());
	for (uint32_t i = 0; error == 0 && trace.has_counts && i < spoor_registry_count(); i++) {
		if (spoor_registry_at(i)->dso && spoor_registry_at(i)->patched)
			error = spoor_counts_cover(spoor_registry_at(i));
	}
	spoor_quiet_end(&quiet);
	if (error < 0) {
		spoor_message("the trace in %.500s cannot be begun: %s; nothing is traced", trace.folder,
			      strerror(-error));
		if (trace.has_counts)
			spoor_counts_abandon();
		trace.has_counts = false;
		remove_folder();
		return -ESHUTDOWN;
	}
	trace.state = TRACE_OPEN;
	spoor_flush_signal_begin();
	spoor_board_begin(trace.folder, !trace.drained_here);
	/* What the parent of a fork had patched is patched here as well. */
	for (uint32_t i = 0; i < spoor_registry_count(); i++) {
		struct spoor_instance *instance = spoor_registry_at(i);

		if (instance->dso && instance->wanted && !instance->recorded) {
			spoor_trace_module(instance);
			spoor_trigger_module(instance);
			spoor_trace_left_alone(instance);
			instance->recorded = true;
		}
	}
	spoor_names_write();
	return 0;
}

void spoor_trace_module(const struct spoor_instance *instance)
{
	uint8_t bytes[HEAD + BODY_MAX];
	uint8_t *at = bytes + HEAD;
	struct spoor_module_record record = {
		.module_id = instance->module_id,
		.base = instance->base,
		.count = instance->count,
		.build_id_bytes = instance->build_id_bytes,
		.load_bias = instance->load_bias,
		.counter = spoor_counter(),
	};

	memcpy(at, &record, sizeof(record));
	at += sizeof(record);
	memcpy(at, instance->build_id, instance->build_id_bytes);
	at += instance->build_id_bytes;
	at = (uint8_t *)stpncpy((char *)at, instance->path, PATH_MAX - 1) + 1;
	at[-1] = '\0';
	at = (uint8_t *)stpncpy((char *)at, instance->soname, PATH_MAX - 1) + 1;
	at[-1] = '\0';
	append(SPOOR_BLOCK_MODULE, 0, bytes, (size_t)(at - bytes) - HEAD);
}

void spoor_trace_module_gone(const struct spoor_instance *instance)
{
	uint8_t bytes[HEAD + sizeof(struct spoor_module_gone)];
	struct spoor_module_gone gone = {
		.base = instance->base,
		.count = instance->count,
		.counter = spoor_counter(),
	};

	memcpy(bytes + HEAD, &gone, sizeof(gone));
	append(SPOOR_BLOCK_MODULE_GONE, 0, bytes, sizeof(gone));
}

void spoor_trace_mode(enum spoor_mode mode)
{
	uint8_t bytes[HEAD + sizeof(struct spoor_mode_record)];
	struct spoor_mode_record record = { .mode = mode, .counter = spoor_counter() };

	memcpy(bytes + HEAD, &record, sizeof(record));
	append(SPOOR_BLOCK_MODE, 0, bytes, sizeof(record));
}

void spoor_trace_left_alone(const struct spoor_instance *instance)
{
	uint8_t bytes[HEAD + sizeof(struct spoor_left_alone)];
	struct spoor_left_alone left_alone = instance->left_alone;

	if (!(left_alone.other_kind | left_alone.unexpected_bytes | left_alone.conditional_jump |
	      left_alone.stack_operand | left_alone.no_function | left_alone.out_of_reach))
		return;
	left_alone.base = instance->base;
	memcpy(bytes + HEAD, &left_alone, sizeof(left_alone));
	append(SPOOR_BLOCK_LEFT_ALONE, 0, bytes, sizeof(left_alone));
}

void spoor_trace_foreign(const char *path, uint64_t sleds)
{
	static uint8_t bytes[HEAD + BODY_MAX];
	struct spoor_foreign foreign = { sleds };
	size_t length = strnlen(path, PATH_MAX - 1);

	memcpy(bytes + HEAD, &foreign, sizeof(foreign));
	memcpy(bytes + HEAD + sizeof(foreign), path, length);
	bytes[HEAD + sizeof(foreign) + length] = '\0';
	append(SPOOR_BLOCK_FOREIGN, 0, bytes, sizeof(foreign) + length + 1);
}

void spoor_trace_text(enum spoor_block_kind kind, uint32_t thread_id, const void *record, size_t record_bytes,
		      const char *text)
{
	uint8_t bytes[HEAD + TEXT_MAX];
	size_t length = strnlen(text, TEXT_MAX - record_bytes);

	memcpy(bytes + HEAD, record, record_bytes);
	memcpy(bytes + HEAD + record_bytes, text, length);
	append(kind, thread_id, bytes, record_bytes + length);
}

void spoor_trace_thread(uint32_t thread_id, const char *name)
{
	uint8_t bytes[HEAD + 64];
	size_t length = strnlen(name, 63);

	memcpy(bytes + HEAD, name, length);
	append(SPOOR_BLOCK_THREAD, thread_id, bytes, length);
}

/* The name of a thread that is still running. */
static void append_live_name(const struct spoor_thread *thread)
{
	char path[64], name[64];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", thread->thread_id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	length = read(fd, name, sizeof(name) - 1);
	close(fd);
	if (length <= 1)
		return;
	name[length - 1] = '\0';
	spoor_trace_thread(thread->thread_id, name);
}

void spoor_trace_end(void)
{
	uint8_t bytes[HEAD];
	struct spoor_quiet quiet;

	if (!spoor_trace_is_ours())
		return;
	spoor_quiet_begin(&quiet);
	spoor_threads_each(append_live_name);
	if (trace.drained_here) {
		if (spoor_thread != &spoor_nobody)
			spoor_slice_leave(spoor_thread);
		spoor_service_drain();
		spoor_pool_trim(spoor_pool);
	}
	append(SPOOR_BLOCK_END, 0, bytes, 0);
	spoor_quiet_end(&quiet);
}

void spoor_trace_leave(void)
{
	if (!spoor_trace_is_ours())
		return;
	spoor_trace_end();
	spoor_trace_file_close(&trace.process);
	trace.state = TRACE_FAILED;
}

void spoor_trace_forget(void)
{
	spoor_pool_unmap(spoor_pool);
	spoor_pool = NULL;
	spoor_counts_end();
	trace.has_pool = trace.has_counts = false;
	for (uint32_t i = 0; i < spoor_registry_count(); i++)
		spoor_registry_at(i)->recorded = false;
	trace.recorder_alone = false;
	trace.state = TRACE_NONE;
}

void spoor_trace_renew(void)
{
	trace.recorder_alone = true;
	if (trace.state == TRACE_FAILED)
		trace.state = TRACE_NONE;
}

bool spoor_trace_has_failed(void)
{
	return trace.state == TRACE_FAILED;
}
