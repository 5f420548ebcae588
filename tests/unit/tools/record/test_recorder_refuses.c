/* SPDX-License-Identifier: MIT */
/* test_recorder_refuses.c - the recorder rejects files that are no pool, or could change, and closes them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "trace/recorder_client.h"
#include "format/recorder_protocol.h"
#include "tests/unit/support/recording.h"

/* Sends @bytes of @message with @count descriptors, as a hostile process may. */
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

/* Sends a pool whose header @change changed, or whose file's size changed by @bytes. */
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

/* The file has that size, and is empty. */
static void more_slices_than_there_may_be(struct spoor_pool *pool)
{
	pool->slice_count = SPOOR_POOL_SLICE_COUNT_MAX + 64;
}

static void more_slices(struct spoor_pool *pool)
{
	pool->slice_count++;
}

START_TEST(an_invalid_pool_is_rejected)
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
	/* Descriptors that are no regular file are rejected, too. */
	ck_assert_int_eq(recorder_begin(&recorder, name, sizeof(name)), 0);
	struct spoor_recorder_hello hello = { .magic = SPOOR_RECORDER_MAGIC };
	int null = open("/dev/zero", O_RDWR);

	strcpy(hello.folder, folder);
	send_raw(&hello, sizeof(hello), &null, 1);
	end();
	ck_assert_int_eq(events_bytes(folder), -1);
}
END_TEST

START_TEST(a_pool_whose_size_may_change_is_rejected)
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
		} else {	/* a file that cannot be sealed */
			snprintf(file, sizeof(file), "%s/pool", folder);
			pool_fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
			ck_assert_int_eq(spoor_pool_create(pool_fd, 1, SLICES, &spoor_pool), 0);
		}
		ck_assert(!spoor_recorder_is_gone(spoor_pool));
		send_raw(&hello, sizeof(hello), &pool_fd, 1);
		/* The process learns that no recorder will drain the pool. */
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

START_TEST(an_invalid_message_is_ignored_and_its_descriptors_are_closed)
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
	/* The recorder serves messages in order. When it has served this good one, it has served all before it. */
	make_pool();
	log_events(10);
	spoor_slice_leave(&thread);
	ck_assert_int_eq(spoor_recorder_send(name, pool_fd, folder), 0);
	close(pool_fd);
	while (!recorder_living(recorder))
		usleep(1000);
	/*
	 * The events file, the process's descriptor, and the pool for spoor ctl stay open. The recorder closes its
	 * connection a moment after it has counted the process.
	 */
	for (int tries = 0; open_descriptors() != before + 3 && tries < 10000; tries++)
		usleep(1000);
	ck_assert_int_eq(open_descriptors(), before + 3);
	end();
	ck_assert_uint_eq(totals.events, 10);
}
END_TEST

UNIT_MAIN("recorder_refuses", an_invalid_pool_is_rejected, a_pool_whose_size_may_change_is_rejected,
	  an_invalid_message_is_ignored_and_its_descriptors_are_closed)
