/* SPDX-License-Identifier: MIT */
/* mailbox.c - both sides of the mailbox. Neither side trusts the other. */
#define _GNU_SOURCE
#include "format/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/clocks.h"
#include "format/drainer_call.h"

_Static_assert(sizeof(struct spoor_mail) % sizeof(uint32_t) == 0 && _Alignof(struct spoor_mail) >= sizeof(uint32_t),
	       "copy() copies whole words");

/* Copies word by word with atomic accesses: another process may access the mail in the pool at the same time. */
static void copy(struct spoor_mail *to, const struct spoor_mail *from)
{
	const uint32_t *source = (const uint32_t *)(const void *)from;
	uint32_t *target = (uint32_t *)(void *)to;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*target); i++)
		__atomic_store_n(&target[i], __atomic_load_n(&source[i], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

int spoor_mailbox_take(struct spoor_mailbox *box, uint32_t *taken, struct spoor_mail *mail)
{
	uint32_t asked = __atomic_load_n(&box->asked, __ATOMIC_ACQUIRE);

	if (asked == *taken || asked & 1)
		return 0;
	copy(mail, &box->mail);
	/* If another request replaced this one while it was read, its writer wakes the drainer again. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&box->asked, __ATOMIC_RELAXED) != asked)
		return 0;
	*taken = asked;
	if (mail->command == 0 || mail->command >= SPOOR_MAIL_COUNT ||
	    !memchr(mail->modules, 0, sizeof(mail->modules)) || !memchr(mail->functions, 0, sizeof(mail->functions))) {
		spoor_mailbox_answer(box, asked, -EINVAL, 0);
		return -EINVAL;
	}
	return 1;
}

void spoor_mailbox_answer(struct spoor_mailbox *box, uint32_t taken, int answer, int64_t result)
{
	box->answer = answer;
	box->result = result;
	__atomic_store_n(&box->answered, taken, __ATOMIC_RELEASE);
	syscall(SYS_futex, &box->answered, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Returns the start time of a process as the kernel counts it, made odd; it tells processes apart that have the
 * same ID in turn. 0: there is no such process. */
static uint32_t began(uint32_t process_id)
{
	char path[32], line[1024], *at;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", process_id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	length = read(fd, line, sizeof(line) - 1);
	close(fd);
	line[length > 0 ? length : 0] = '\0';
	at = strrchr(line, ')');
	/* The start time is field 22; the name in parentheses is field 2. */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? (uint32_t)strtoull(at, NULL, 10) | 1 : 0;
}

int spoor_mailbox_claim(struct spoor_mailbox *box, uint32_t *owner)
{
	uint64_t mine = (uint64_t)began((uint32_t)getpid()) << 32 | (uint32_t)getpid();
	uint64_t found = 0;

	while (!__atomic_compare_exchange_n(&box->owner, &found, mine, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		*owner = (uint32_t)found;
		/* If the owner claimed the mailbox between the two reads, the next compare-and-exchange notices
		 * it. */
		if (found && began((uint32_t)found) == found >> 32)
			return -EBUSY;
	}
	return 0;
}

void spoor_mailbox_release(struct spoor_mailbox *box)
{
	__atomic_store_n(&box->owner, 0, __ATOMIC_RELEASE);
}

static uint32_t put(struct spoor_mailbox *box, const struct spoor_mail *mail)
{
	/* `asked` is odd already if the last writer died while it wrote. */
	uint32_t writing = __atomic_load_n(&box->asked, __ATOMIC_RELAXED) | 1;

	__atomic_store_n(&box->asked, writing, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	copy(&box->mail, mail);
	/* A new drainer starts with 0 as the last taken request. */
	if (writing + 1 == 0)
		writing += 2;
	__atomic_store_n(&box->asked, writing + 1, __ATOMIC_RELEASE);
	return writing + 1;
}

uint32_t spoor_mailbox_request(struct spoor_pool *pool, const struct spoor_mail *mail)
{
	uint32_t asked = put(spoor_pool_mailbox(pool), mail);

	spoor_drainer_call(pool);
	return asked;
}

void spoor_mailbox_withdraw(struct spoor_mailbox *box)
{
	/* An odd number is no request to a drainer that looks now. */
	__atomic_fetch_or(&box->asked, 1, __ATOMIC_RELAXED);
}

int spoor_mailbox_wait(struct spoor_mailbox *box, uint32_t asked, int64_t timeout_ns, int64_t *result)
{
	int64_t deadline_ns = spoor_clock_ns(CLOCK_MONOTONIC) + timeout_ns;

	for (;;) {
		uint32_t answered = __atomic_load_n(&box->answered, __ATOMIC_ACQUIRE);
		int64_t left_ns = deadline_ns - spoor_clock_ns(CLOCK_MONOTONIC);
		struct timespec left = { left_ns / 1000000000, left_ns % 1000000000 };

		if (answered == asked) {
			int32_t answer = __atomic_load_n(&box->answer, __ATOMIC_RELAXED);

			*result = __atomic_load_n(&box->result, __ATOMIC_RELAXED);
			return answer > 0 || answer < -4095 ? -EBADMSG : answer;
		}
		if (left_ns <= 0)
			return -ETIMEDOUT;
		syscall(SYS_futex, &box->answered, FUTEX_WAIT, answered, &left, NULL, 0);
	}
}
