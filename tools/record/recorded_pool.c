/* SPDX-License-Identifier: MIT */
/* recorded_pool.c - drains the pool of a traced process, without trusting the process. */
#define _GNU_SOURCE
#include "record/recorded_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/system/namespaces.h"
#include "format/recorder_protocol.h"

/* Fulfils requests of spoor ctl that the drainer can fulfil. The process fulfils the others. */
static void serve(struct recorded_pool *pool)
{
	struct spoor_mailbox *box = spoor_pool_mailbox(pool->pool);

	while (spoor_mailbox_take(box, &pool->mail_taken, &pool->mail) > 0) {
		if (pool->mail.command != SPOOR_MAIL_FLUSH && pool->mail.command != SPOOR_MAIL_CLEAR)
			continue;
		spoor_drain_run(pool->drain, pool->mail.command == SPOOR_MAIL_FLUSH ? SPOOR_DRAIN_FLUSH : SPOOR_DRAIN_CLEAR);
		spoor_mailbox_answer(box, pool->mail_taken, spoor_drain_result(pool->drain), 0);
	}
}

static void draining(void *context, uint32_t slice)
{
	struct recorded_pool *pool = context;

	if (pool->rates)
		call_rates_slice(pool->rates, slice);
	if (pool->ids)
		inner_ids_slice(pool->ids, slice);
}

/* Does the regular work between runs. */
static void do_periodic_work(struct recorded_pool *pool)
{
	if (pool->rates)
		call_rates_look(pool->rates);
	if (pool->ids)
		inner_ids_note(pool->ids);
}

static void read_command(const struct recorded_pool *pool, char command[COMMAND_NAME_MAX])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pool->process_id);
	command_name(AT_FDCWD, path, command);
	/* Another process has its ID now. */
	if (pool->pidfd < 0 || (pidfd_send_signal(pool->pidfd, 0, NULL, 0) < 0 && errno == ESRCH))
		command[0] = '\0';
}

/* Returns whether the process used the pool until now. After an execve(2) long ago, its name differs. */
static bool is_present(const struct recorded_pool *pool)
{
	char command[COMMAND_NAME_MAX];

	if (__atomic_load_n(&pool->pool->ended, __ATOMIC_ACQUIRE))
		return true;
	read_command(pool, command);
	return command[0] && strcmp(command, pool->command) == 0;
}

static void *drain_thread(void *argument)
{
	struct recorded_pool *pool = argument;
	bool restless = pool->rates || pool->ids;	/* also looks at slices in use and at new threads */
	struct spoor_clocks clocks;

	drainer_mark_set(&pool->mark, &pool->pool->recorder);
	while (!__atomic_load_n(&pool->ending, __ATOMIC_ACQUIRE)) {
		do_periodic_work(pool);
		spoor_drain_run(pool->drain, 0);
		serve(pool);
		while (!__atomic_load_n(&pool->ending, __ATOMIC_ACQUIRE) && !spoor_drain_wait(pool->drain, restless))
			spoor_drain_look_at_clocks(pool->drain, &clocks);
	}
	do_periodic_work(pool);
	spoor_drain_run(pool->drain, SPOOR_DRAIN_FINAL | (is_present(pool) ? SPOOR_DRAIN_PRESENT : 0));
	if (pool->ids) {
		inner_ids_note(pool->ids);
		spoor_drain_write_notes(pool->drain);
	}
	spoor_drain_losses(pool->drain);
	sem_post(&pool->drained);
	return NULL;
}

/* Maps the descriptor that a process sent. It may be anything: this function checks the size, and the users check
 * the contents. */
static int map_pool(struct recorded_pool *pool, int fd)
{
	struct spoor_pool *mapped;
	struct stat status;
	int seals;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size < (off_t)spoor_pool_bytes(1))
		return -EBADMSG;
	/* The size must be sealed, so that the sender cannot truncate a mapped pool. */
	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & SPOOR_RECORDER_SEALS) != SPOOR_RECORDER_SEALS)
		return -ETXTBSY;
	mapped = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	if (mapped->magic != SPOOR_POOL_MAGIC || mapped->version != SPOOR_TRACE_VERSION ||
	    mapped->slice_bytes != SPOOR_SLICE_BYTES || mapped->slice_count > SPOOR_POOL_SLICE_COUNT_MAX ||
	    spoor_pool_bytes(mapped->slice_count) != (uint64_t)status.st_size) {
		munmap(mapped, (size_t)status.st_size);
		return -EBADMSG;
	}
	pool->pool = mapped;
	pool->pool_bytes = (size_t)status.st_size;
	return 0;
}

static void pool_free(struct recorded_pool *pool)
{
	if (pool->pool)
		munmap(pool->pool, pool->pool_bytes);
	if (pool->pool_fd >= 0)
		close(pool->pool_fd);
	if (pool->events_fd >= 0)
		close(pool->events_fd);
	if (pool->pidfd >= 0)
		close(pool->pidfd);
	call_rates_end(pool->rates);
	recorded_functions_free(pool->functions);
	inner_ids_end(pool->ids);
	spoor_drain_end(pool->drain);
	free(pool->folder);
	free(pool);
}

static int begin_drain(struct recorded_pool *pool, struct spoor_drain_limit *limit)
{
	struct spoor_drain_options options = {
		.pool = pool->pool,
		.fd = pool->events_fd,
		.limit = limit,
		.steady_ahead_ns = namespaces_steady_ahead(pool->process_id),
		.draining = draining,
		.context = pool,
		.seen = pool->functions ? &pool->functions->set : NULL,
	};
	int error = spoor_drain_begin(&pool->drain, &options);

	/* The process may have changed the number of slices since the pool was mapped. */
	if (error == 0 && spoor_pool_bytes(spoor_drain_slice_count(pool->drain)) != pool->pool_bytes)
		error = -EBADMSG;
	return error;
}

int recorded_pool_begin(struct recorded_pool **result, int fd, const char *folder, pid_t process_id, uid_t user,
			gid_t group, struct spoor_drain_limit *limit, uint64_t max_rate, bool names)
{
	struct recorded_pool *pool = calloc(1, sizeof(*pool));
	char path[PATH_MAX + 32];
	int error;

	if (!pool)
		return -ENOMEM;
	pool->pool_fd = pool->events_fd = -1;
	sem_init(&pool->drained, 0, 0);
	pool->process_id = process_id;
	pool->pidfd = pidfd_open(process_id, 0);
	pool->ending = pool->pidfd < 0 && errno == ESRCH;
	read_command(pool, pool->command);
	pool->folder = strdup(strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder);
	error = pool->folder ? map_pool(pool, fd) : -ENOMEM;
	if (error == 0 && names)
		pool->functions = recorded_functions_begin(pool->folder);
	if (error < 0)
		goto free;
	snprintf(path, sizeof(path), "%s/%s", folder, SPOOR_EVENTS_FILE);
	/* In another user's folder, that user must be allowed to make files. */
	setfsgid(group);
	setfsuid(user);
	pool->events_fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	error = pool->events_fd < 0 ? -errno : 0;
	setfsuid(geteuid());
	setfsgid(getegid());
	if (error == 0)
		error = begin_drain(pool, limit);
	if (error == 0 && max_rate)
		error = call_rates_begin(&pool->rates, pool->drain, max_rate);
	if (error == 0)
		error = inner_ids_begin(&pool->ids, process_id, pool->drain);
	if (error < 0)
		goto free;
	error = -pthread_create(&pool->thread, NULL, drain_thread, pool);
	if (error < 0)
		goto free;
	pool->pool_fd = fd;
	*result = pool;
	return 0;
free:
	pool_free(pool);
	return error;
}

void recorded_pool_stop(struct recorded_pool *pool)
{
	struct timespec next;

	__atomic_store_n(&pool->ending, 1, __ATOMIC_RELEASE);
	/* Runs repeatedly, because the process may undo a run (drain/drain.h, I2). */
	clock_gettime(CLOCK_MONOTONIC, &next);
	do {
		spoor_drain_wake(pool->drain);
		next.tv_sec++;
	} while (sem_clockwait(&pool->drained, CLOCK_MONOTONIC, &next) < 0);
	pthread_join(pool->thread, NULL);
}

void recorded_pool_add(const struct recorded_pool *pool, struct recorder_totals *totals)
{
	/* Reads the drainer's published values, because it may be running. */
	totals->events += __atomic_load_n(&pool->pool->events, __ATOMIC_RELAXED);
	totals->bytes += __atomic_load_n(&pool->pool->file_bytes, __ATOMIC_RELAXED);
	for (int cause = 0; cause < SPOOR_LOSS_COUNT; cause++)
		totals->lost += __atomic_load_n(&pool->pool->lost[cause], __ATOMIC_RELAXED);
}

void recorded_pool_end(struct recorded_pool *pool, struct recorder_totals *totals)
{
	struct spoor_drain_totals drained = spoor_drain_totals(pool->drain);

	totals->events += drained.events;
	totals->bytes += drained.file_bytes;
	if (!totals->error)
		totals->error = drained.error;
	for (int cause = 0; cause < SPOOR_LOSS_COUNT; cause++)
		totals->lost += pool->pool->lost[cause];
	pool_free(pool);
}
