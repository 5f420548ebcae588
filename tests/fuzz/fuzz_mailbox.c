/* SPDX-License-Identifier: MIT */
/*
 * fuzz_mailbox.c - a hostile process writes to the header of a pool. The traced process, the recorder
 * and spoor ctl read it: a request is taken whole or rejected, and status shows it.
 *
 * Input: pieces to write to the header, each with an offset of 16 bits, a length of 8 bits, and
 * that many bytes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "walk/loss_cause.h"
#include "ctl/status.h"
#include "format/mailbox.h"

#define SLICES 3u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

const char *loss_cause_text(uint32_t cause)
{
	return cause < SPOOR_LOSS_COUNT ? "a cause" : "another";
}

static void show(const struct live_pool *live)
{
	struct output out;

	if (output_begin(&out, "/dev/null") < 0)
		abort();
	ctl_status(&out, live, false);
	ctl_status(&out, live, true);
	output_end(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct spoor_mail mail;
	struct live_pool live = { .process_id = 1 };
	int fd = memfd_create("pool", MFD_CLOEXEC);
	struct spoor_mailbox *box;
	uint32_t taken = 0, owner;
	int64_t result;
	uint8_t *header;

	if (fd < 0 || ftruncate(fd, (off_t)spoor_pool_bytes(SLICES)) < 0)
		abort();
	header = mmap(NULL, SPOOR_POOL_INFOS_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*(struct spoor_pool *)header = (struct spoor_pool){
		.magic = SPOOR_POOL_MAGIC,
		.version = SPOOR_TRACE_VERSION,
		.slice_bytes = SPOOR_SLICE_BYTES,
		.slice_count = SLICES,
	};
	while (size >= 3) {
		uint16_t offset;
		size_t length = bytes[2] < size - 3 ? bytes[2] : size - 3;

		memcpy(&offset, bytes, sizeof(offset));
		if (length > SPOOR_POOL_INFOS_OFFSET - offset)
			length = SPOOR_POOL_INFOS_OFFSET - offset;
		memcpy(header + offset, bytes + 3, length);
		bytes += 3 + length;
		size -= 3 + length;
	}
	if (live_pool_map(&live, fd) == 0) {
		show(&live);
		box = spoor_pool_mailbox(live.pool);
		if (spoor_mailbox_take(box, &taken, &mail) > 0) {
			if (mail.command == 0 || mail.command >= SPOOR_MAIL_COUNT ||
			    strnlen(mail.modules, sizeof(mail.modules)) == sizeof(mail.modules) ||
			    strnlen(mail.functions, sizeof(mail.functions)) == sizeof(mail.functions))
				abort();
			spoor_mailbox_answer(box, taken, 0, 1);
		}
		if (spoor_mailbox_claim(box, &owner) == 0) {
			if (spoor_mailbox_wait(box, spoor_mailbox_request(live.pool, &mail), 0, &result) > 0)
				abort();
			spoor_mailbox_withdraw(box);
			spoor_mailbox_release(box);
		}
	}
	live_pool_close(&live);
	munmap(header, SPOOR_POOL_INFOS_OFFSET);
	close(fd);
	return 0;
}
