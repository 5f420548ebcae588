/* SPDX-License-Identifier: MIT */
/* test_recorder.c - a pool goes from a process to the recorder, and nothing else does. */
#include "recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pool.h"
#include "reading.h"
#include "recorder_client.h"
#include "recorder_protocol.h"

#define SLICES 64u

static struct recorder *recorder;
static struct recorder_totals totals;
static char name[64], folder[64];
static struct spoor_thread thread;
static int pool_fd;

static void begin(void)
{
	strcpy(folder, reading_folder());
	ck_assert_int_eq(recorder_begin(&recorder, name, sizeof(name)), 0);
}

static void end(void)
{
	recorder_end(recorder, &totals);
	reading_remove(folder);
}

static void make_pool(void)
{
	pool_fd = memfd_create("pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ck_assert_int_eq(spoor_pool_create(pool_fd, 1, SLICES, &spoor_pool), 0);
	thread = (struct spoor_thread){ .process_id = 1, .thread_id = 2, .serial = 3 };
}

/* What a trampoline does. Return: how many of @count were stored. */
static uint64_t log_events(uint64_t count)
{
	uint64_t stored = 0;

	while (count) {
		uint64_t slot = thread.cursor;

		thread.cursor += 8;
		if (slot & SPOOR_SLICE_BIT) {
			*(uint64_t *)slot = SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 1, slot);
			stored++;
			count--;
		} else if (spoor_event_slow(&thread, slot ? slot : 8, SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, 1))) {
			count--;
		}
	}
	return stored;
}

static off_t events_bytes(const char *in)
{
	char path[128];
	struct stat status;

	snprintf(path, sizeof(path), "%s/%s", in, SPOOR_EVENTS_FILE);
	return stat(path, &status) ? -1 : status.st_size;
}

START_TEST(what_is_logged_into_a_pool_that_was_sent_is_recorded)
{
	uint64_t stored;

	begin();
	make_pool();
	stored = log_events(100);
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	close(pool_fd);
	stored += log_events(50000);
	spoor_slice_leave(&thread);
	end();
	ck_assert_uint_eq(totals.events, stored);
	ck_assert_uint_eq(totals.lost, 50100 - stored);
	ck_assert_int_eq(totals.error, 0);
	ck_assert_uint_gt(totals.bytes, 0);
}
END_TEST

START_TEST(a_slice_that_nobody_gave_back_is_recorded_when_the_process_has_ended)
{
	uint64_t news;
	pid_t child;
	int status, ends[2];
	char byte;

	begin();
	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		make_pool();
		if (spoor_recorder_send(name, pool_fd, folder))
			_exit(1);
		log_events(1000);
		if (read(ends[0], &byte, 1) != 1)
			_exit(1);
		_exit(0);
	}
	while (!recorder_living(recorder))
		usleep(1000);
	ck_assert_uint_eq(recorder_living(recorder), 1);
	ck_assert_int_eq(read(recorder_changed_fd(recorder), &news, sizeof(news)), sizeof(news));
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	while (recorder_living(recorder))
		usleep(1000);
	ck_assert_int_gt(events_bytes(folder), 0);
	end();
	ck_assert_uint_eq(totals.events, 1000);
}
END_TEST

START_TEST(without_a_recorder_the_process_is_told)
{
	char longer[200];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_int_eq(spoor_recorder_send("spoor-nobody-is-here", 0, "/tmp"), -ECONNREFUSED);
	ck_assert_int_eq(spoor_recorder_send(longer, 0, "/tmp"), -ENAMETOOLONG);
	begin();
	ck_assert_int_eq(spoor_recorder_send(name, -1, "/tmp"), -EBADF);
	end();
}
END_TEST

/* Sends @bytes of @message with @count descriptors, as a stranger may. */
static void send_raw(const void *message, size_t bytes, const int *fds, size_t count)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control = { 0 };
	struct iovec body = { (void *)(uintptr_t)message, bytes };
	struct msghdr envelope = { .msg_iov = &body, .msg_iovlen = 1 };
	int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path + 1, name);
	ck_assert_int_eq(connect(connection, (struct sockaddr *)&address,
				 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))), 0);
	if (count) {
		control.header = (struct cmsghdr){ CMSG_LEN(count * sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
		envelope.msg_control = &control;
		envelope.msg_controllen = CMSG_SPACE(count * sizeof(int));
	}
	ck_assert_int_eq(sendmsg(connection, &envelope, MSG_NOSIGNAL), (ssize_t)bytes);
	close(connection);
}

static int open_descriptors(void)
{
	DIR *listing = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(listing))
		count++;
	closedir(listing);
	return count;
}

/* A pool whose header is changed by @change, or the file's size by @bytes. */
static void send_pool(void (*change)(struct spoor_pool *pool), off_t bytes)
{
	struct spoor_recorder_hello hello = { .magic = SPOOR_RECORDER_MAGIC };

	strcpy(hello.folder, folder);
	make_pool();
	if (change)
		change(spoor_pool);
	if (bytes)
		ck_assert_int_eq(ftruncate(pool_fd, (off_t)spoor_pool_bytes(SLICES) + bytes), 0);
	ck_assert_int_eq(fcntl(pool_fd, F_ADD_SEALS, SPOOR_RECORDER_SEALS), 0);
	send_raw(&hello, sizeof(hello), &pool_fd, 1);
	close(pool_fd);
	munmap(spoor_pool, spoor_pool_bytes(SLICES));
}

static void other_magic(struct spoor_pool *pool)
{
	pool->magic++;
}

static void other_version(struct spoor_pool *pool)
{
	pool->version++;
}

static void other_slices(struct spoor_pool *pool)
{
	pool->slice_bytes *= 2;
}

static void too_many_slices(struct spoor_pool *pool)
{
	pool->slice_count = SPOOR_POOL_SLICE_COUNT_MAX + 1;
}

/* In a file of that size, which has nothing in it. */
static void more_slices_than_there_may_be(struct spoor_pool *pool)
{
	pool->slice_count = SPOOR_POOL_SLICE_COUNT_MAX + 64;
}

static void more_slices(struct spoor_pool *pool)
{
	pool->slice_count++;
}

START_TEST(a_pool_that_is_none_is_refused)
{
	begin();
	fclose(stderr);
	send_pool(other_magic, 0);
	send_pool(other_version, 0);
	send_pool(other_slices, 0);
	send_pool(too_many_slices, 0);
	send_pool(more_slices, 0);
	send_pool(more_slices_than_there_may_be,
		  (off_t)(spoor_pool_bytes(SPOOR_POOL_SLICE_COUNT_MAX + 64) - spoor_pool_bytes(SLICES)));
	send_pool(NULL, -4096);
	send_pool(NULL, 4096);
	send_pool(NULL, -(off_t)spoor_pool_bytes(SLICES) + 1);
	recorder_end(recorder, &totals);
	ck_assert_int_eq(events_bytes(folder), -1);
	ck_assert_uint_eq(totals.bytes, 0);
	/* Nor is what is no file. */
	ck_assert_int_eq(recorder_begin(&recorder, name, sizeof(name)), 0);
	struct spoor_recorder_hello hello = { .magic = SPOOR_RECORDER_MAGIC };
	int null = open("/dev/zero", O_RDWR);

	strcpy(hello.folder, folder);
	send_raw(&hello, sizeof(hello), &null, 1);
	end();
	ck_assert_int_eq(events_bytes(folder), -1);
}
END_TEST

START_TEST(a_pool_whose_size_may_change_is_refused)
{
	static const int seals[] = { 0, F_SEAL_GROW, F_SEAL_SHRINK };
	struct spoor_recorder_hello hello = { .magic = SPOOR_RECORDER_MAGIC };
	char file[128];

	begin();
	fclose(stderr);
	strcpy(hello.folder, folder);
	for (size_t i = 0; i <= sizeof(seals) / sizeof(*seals); i++) {
		if (i < sizeof(seals) / sizeof(*seals)) {
			make_pool();
			ck_assert_int_eq(fcntl(pool_fd, F_ADD_SEALS, seals[i]), 0);
		} else {	/* one that can never be sealed */
			snprintf(file, sizeof(file), "%s/pool", folder);
			pool_fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
			ck_assert_int_eq(spoor_pool_create(pool_fd, 1, SLICES, &spoor_pool), 0);
		}
		ck_assert(!spoor_recorder_is_gone(spoor_pool));
		send_raw(&hello, sizeof(hello), &pool_fd, 1);
		/* It learns that nobody will drain it. */
		while (!spoor_recorder_is_gone(spoor_pool))
			usleep(1000);
		ck_assert_int_eq(ftruncate(pool_fd, seals[i % 3] == F_SEAL_SHRINK ? (off_t)spoor_pool_bytes(SLICES + 1) : 0), 0);
		close(pool_fd);
		munmap(spoor_pool, spoor_pool_bytes(SLICES));
	}
	unlink(file);
	recorder_end(recorder, &totals);
	ck_assert_int_eq(events_bytes(folder), -1);
	reading_remove(folder);
}
END_TEST

START_TEST(the_size_of_a_pool_that_was_sent_stays)
{
	begin();
	make_pool();
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	ck_assert_int_lt(ftruncate(pool_fd, 0), 0);
	ck_assert_int_lt(ftruncate(pool_fd, (off_t)spoor_pool_bytes(SLICES) + 4096), 0);
	close(pool_fd);
	end();
}
END_TEST

/* A recorder in a process of its own. */
static pid_t begin_elsewhere(void)
{
	pid_t child;
	int ends[2];

	strcpy(folder, reading_folder());
	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		if (recorder_begin(&recorder, name, sizeof(name)) || write(ends[1], name, sizeof(name)) != sizeof(name))
			_exit(1);
		pause();
	}
	ck_assert_int_eq(read(ends[0], name, sizeof(name)), sizeof(name));
	close(ends[0]);
	close(ends[1]);
	return child;
}

START_TEST(a_process_learns_that_its_recorder_was_killed)
{
	pid_t child = begin_elsewhere();
	int status;

	make_pool();
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	while (!__atomic_load_n(&spoor_pool->recorder, __ATOMIC_RELAXED))
		usleep(1000);
	ck_assert(!spoor_recorder_is_gone(spoor_pool));
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_uint_eq(spoor_pool->recorder & FUTEX_OWNER_DIED, FUTEX_OWNER_DIED);
	ck_assert(spoor_recorder_is_gone(spoor_pool));
	close(pool_fd);
	reading_remove(folder);
}
END_TEST

START_TEST(a_process_learns_that_its_recorder_is_gone_before_it_took_the_pool)
{
	pid_t child = begin_elsewhere();
	int status;

	kill(child, SIGSTOP);
	ck_assert_int_eq(waitpid(child, &status, WUNTRACED), child);
	make_pool();
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	ck_assert(!spoor_recorder_is_gone(spoor_pool));
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(spoor_recorder_is_gone(spoor_pool));
	close(pool_fd);
	reading_remove(folder);
}
END_TEST

START_TEST(a_message_that_is_none_is_ignored_and_its_descriptors_are_closed)
{
	struct spoor_recorder_hello hello = { .magic = SPOOR_RECORDER_MAGIC };
	int before, null = open("/dev/null", O_RDWR);
	int many[8] = { null, null, null, null, null, null, null, null };
	char page[8192] = "";

	begin();
	before = open_descriptors();
	strcpy(hello.folder, folder);
	send_raw(&hello, sizeof(hello), NULL, 0);
	send_raw(&hello, sizeof(hello) - 1, &null, 1);
	send_raw(page, 1, &null, 1);
	send_raw(page, sizeof(page), &null, 1);
	send_raw(&hello, sizeof(hello), many, 2);
	send_raw(&hello, sizeof(hello), many, 8);
	hello.magic++;
	send_raw(&hello, sizeof(hello), &null, 1);
	hello.magic--;
	memset(hello.folder, 'x', sizeof(hello.folder));
	send_raw(&hello, sizeof(hello), &null, 1);
	/* A good one after all that is served; then all before it was. */
	make_pool();
	log_events(10);
	spoor_slice_leave(&thread);
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	close(pool_fd);
	while (!recorder_living(recorder))
		usleep(1000);
	/* The events file, the process's descriptor, and the pool for spoor ctl. */
	ck_assert_int_eq(open_descriptors(), before + 3);
	end();
	ck_assert_uint_eq(totals.events, 10);
}
END_TEST

START_TEST(events_never_go_to_a_file_that_is_there)
{
	char path[128];

	begin();
	fclose(stderr);
	snprintf(path, sizeof(path), "%s/%s", folder, SPOOR_EVENTS_FILE);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	make_pool();
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	log_events(10);
	spoor_slice_leave(&thread);
	recorder_end(recorder, &totals);
	ck_assert_int_eq(events_bytes(folder), 0);
	reading_remove(folder);
}
END_TEST

START_TEST(who_does_not_see_the_trace_gets_a_folder_and_its_files_and_no_others)
{
	char longer[RECORDER_NAME_BYTES], made[PATH_MAX], path[PATH_MAX + 32];
	struct stat here, there;
	int fd;

	begin();
	strcpy(longer, name);
	ck_assert(!spoor_recorder_is_elsewhere(longer, folder));
	ck_assert_int_eq(recorder_place(recorder, folder, false, longer, sizeof(longer)), 0);
	ck_assert(!spoor_recorder_is_elsewhere(longer, folder));
	ck_assert(spoor_recorder_is_elsewhere(longer, "/"));
	ck_assert(spoor_recorder_is_elsewhere(longer, "/nowhere"));
	ck_assert_int_eq(spoor_recorder_folder(longer, made), 0);
	snprintf(path, sizeof(path), "%s/%d", folder, getpid());
	ck_assert_str_eq(made, path);
	fd = spoor_recorder_file(longer, made, SPOOR_PROCESS_FILE);
	ck_assert_int_ge(fd, 0);
	snprintf(path, sizeof(path), "%s/" SPOOR_PROCESS_FILE, made);
	ck_assert_int_eq(fstat(fd, &here), 0);
	ck_assert_int_eq(stat(path, &there), 0);
	ck_assert_uint_eq(here.st_ino, there.st_ino);
	ck_assert_uint_eq(here.st_mode & 0777, 0600);
	close(fd);
	ck_assert_int_eq(spoor_recorder_file(longer, made, "other"), -EPERM);
	ck_assert_int_eq(spoor_recorder_file(longer, made, "../" SPOOR_POOL_FILE), -EPERM);
	ck_assert_int_eq(spoor_recorder_file(longer, "..", SPOOR_POOL_FILE), -EPERM);
	ck_assert_int_eq(spoor_recorder_file(longer, "/1", SPOOR_POOL_FILE), -EPERM);
	unlink(path);
	rmdir(made);
	end();
}
END_TEST

START_TEST(through_the_door_the_recorder_is_reached_without_its_socket)
{
	char longer[RECORDER_NAME_BYTES], made[PATH_MAX];
	struct stat status;
	int ends[2];

	begin();
	strcpy(longer, "spoor-nobody-is-here");
	ck_assert_int_eq(recorder_place(recorder, folder, true, longer, sizeof(longer)), 0);
	ck_assert(spoor_recorder_is_elsewhere(longer, folder));
	ck_assert_int_eq(spoor_recorder_folder(longer, made), -ECONNREFUSED);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	ck_assert_int_eq(fstat(ends[1], &status), 0);
	ck_assert_int_eq(recorder_door_name(longer, sizeof(longer), ends[1], status.st_ino), 0);
	ck_assert_int_eq(recorder_open_door(recorder, ends[0]), 0);
	ck_assert_int_eq(spoor_recorder_folder(longer, made), 0);
	rmdir(made);
	/* What is not the door any more is left alone. */
	spoor_recorder_close_door(longer);
	ck_assert_int_eq(dup2(STDERR_FILENO, ends[1]), ends[1]);
	spoor_recorder_close_door(longer);
	ck_assert_int_eq(fcntl(ends[1], F_GETFD), 0);
	ck_assert_int_eq(spoor_recorder_folder(longer, made), -ECONNREFUSED);
	end();
}
END_TEST

UNIT_MAIN("recorder", what_is_logged_into_a_pool_that_was_sent_is_recorded,
	  a_slice_that_nobody_gave_back_is_recorded_when_the_process_has_ended,
	  without_a_recorder_the_process_is_told, a_pool_that_is_none_is_refused,
	  a_pool_whose_size_may_change_is_refused, the_size_of_a_pool_that_was_sent_stays,
	  a_process_learns_that_its_recorder_was_killed,
	  a_process_learns_that_its_recorder_is_gone_before_it_took_the_pool,
	  a_message_that_is_none_is_ignored_and_its_descriptors_are_closed, events_never_go_to_a_file_that_is_there,
	  who_does_not_see_the_trace_gets_a_folder_and_its_files_and_no_others,
	  through_the_door_the_recorder_is_reached_without_its_socket)
