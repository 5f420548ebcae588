/* SPDX-License-Identifier: MIT */
/*
 * fuzz_recorder.c - a process sends a message, descriptors and a pool's header to the recorder.
 * The recorder accepts or rejects them, continues, and leaves no descriptor open.
 *
 * Input: 8 bytes to change in the message, 1 for the number and kind of descriptors,
 * 2 for the message's length, then bytes to change in the pool. Zeroes are a valid
 * message with one pool.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fuzz.h"
#include "format/pool_format.h"
#include "record/recorder.h"
#include "format/recorder_protocol.h"

#define SLICES 4u
#define HEADER 11u

static char folder[FUZZ_FOLDER_MAX], events[128];

static void remove_folder(void)
{
	unlink(events);
	rmdir(folder);
}

static void begin(void)
{
	fuzz_folder(folder);
	snprintf(events, sizeof(events), "%s/%s", folder, SPOOR_EVENTS_FILE);
	atexit(remove_folder);
}

static int make_pool(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	union {
		struct spoor_pool pool;
		uint8_t bytes[SPOOR_POOL_INFOS_OFFSET];
	} *header = calloc(1, sizeof(*header));

	if (fd < 0 || !header || ftruncate(fd, (off_t)spoor_pool_bytes(SLICES)) < 0)
		abort();
	header->pool.magic = SPOOR_POOL_MAGIC;
	header->pool.version = SPOOR_TRACE_VERSION;
	header->pool.slice_bytes = SPOOR_SLICE_BYTES;
	header->pool.slice_count = SLICES;
	header->pool.free[0] = (1u << SLICES) - 1;
	for (size_t i = 0; i < size && i < sizeof(*header); i++)
		header->bytes[i] ^= bytes[i];
	if (pwrite(fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header))
		abort();
	free(header);
	if (fcntl(fd, F_ADD_SEALS, SPOOR_RECORDER_SEALS) < 0)
		abort();
	return fd;
}

static void send_to(const char *name, const struct spoor_recorder_hello *hello, size_t length, const int *fds,
		    size_t count)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(3 * sizeof(int))];
	} control = { 0 };
	struct iovec body = { (void *)(uintptr_t)hello, length };
	struct msghdr message = { .msg_iov = &body, .msg_iovlen = 1 };
	int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path + 1, name);
	if (connect(connection, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) < 0)
		abort();
	if (count) {
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
	}
	if (sendmsg(connection, &message, MSG_NOSIGNAL) < 0 && length)
		abort();
	close(connection);
}

/* Counts the low descriptors; a descriptor that stays open gets a low number. */
static int open_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 64; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct spoor_recorder_hello hello = { .magic = SPOOR_RECORDER_MAGIC };
	struct recorder_totals totals;
	struct recorder *recorder;
	char name[64];
	int fds[3], open_before;
	uint16_t length;

	if (size < HEADER)
		return 0;
	if (!*folder)
		begin();
	open_before = open_descriptors();
	if (recorder_begin(&recorder, name, sizeof(name)) < 0)
		abort();
	strcpy(hello.folder, folder);
	for (size_t i = 0; i < 8; i++)
		((uint8_t *)&hello)[i] ^= bytes[i];
	if (bytes[8] & 8)
		memset(hello.folder, 'x', sizeof(hello.folder));
	memcpy(&length, bytes + 9, sizeof(length));
	for (int i = 0; i < 3; i++)
		fds[i] = bytes[8] & 16 << i ? open("/dev/null", O_RDWR | O_CLOEXEC)
					    : make_pool(bytes + HEADER, size - HEADER);
	send_to(name, &hello, sizeof(hello) - length % sizeof(hello), fds, ((bytes[8] & 3) + 1) % 4);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	recorder_end(recorder, &totals);
	unlink(events);
	if (open_descriptors() != open_before)
		abort();
	return 0;
}
