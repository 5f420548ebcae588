/* SPDX-License-Identifier: MIT */
/* test_mailbox.c - a request passes through the mailbox whole and once, or not at all. */
#define _GNU_SOURCE
#include "format/mailbox.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/support/unit.h"

#define SECOND_NS 1000000000

static struct spoor_pool *pool;
static struct spoor_mailbox *box;
static struct spoor_mail asked, got;
static uint32_t taken, owner;
static int64_t result;

static void begin(void)
{
	pool = mmap(NULL, SPOOR_POOL_INFOS_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(pool, MAP_FAILED);
	box = spoor_pool_mailbox(pool);
	asked = (struct spoor_mail){ .command = SPOOR_MAIL_ENABLE };
	strcpy(asked.modules, "lib*");
	strcpy(asked.functions, "step,-other");
	taken = 0;
}

START_TEST(a_request_is_taken_once_and_its_answer_arrives)
{
	uint32_t number;

	begin();
	ck_assert_int_eq(spoor_mailbox_take(box, &taken, &got), 0);
	ck_assert_int_eq(spoor_mailbox_claim(box, &owner), 0);
	number = spoor_mailbox_request(pool, &asked);
	ck_assert(spoor_mailbox_has_mail(box, taken));
	ck_assert_int_eq(spoor_mailbox_take(box, &taken, &got), 1);
	ck_assert_mem_eq(&got, &asked, sizeof(got));
	ck_assert_int_eq(spoor_mailbox_take(box, &taken, &got), 0);
	ck_assert(!spoor_mailbox_has_mail(box, taken));
	ck_assert_int_eq(spoor_mailbox_wait(box, number, 0, &result), -ETIMEDOUT);
	spoor_mailbox_answer(box, taken, 0, 42);
	ck_assert_int_eq(spoor_mailbox_wait(box, number, SECOND_NS, &result), 0);
	ck_assert_int_eq(result, 42);
}
END_TEST

START_TEST(a_request_wakes_the_drainer)
{
	begin();
	pool->wake = 1;
	spoor_mailbox_request(pool, &asked);
	ck_assert_uint_eq(pool->wake, 0);
}
END_TEST

START_TEST(an_answer_to_an_earlier_request_is_ignored)
{
	uint32_t first, second;

	begin();
	first = spoor_mailbox_request(pool, &asked);
	second = spoor_mailbox_request(pool, &asked);
	spoor_mailbox_answer(box, first, 0, 1);
	ck_assert_int_eq(spoor_mailbox_wait(box, second, 1000000, &result), -ETIMEDOUT);
}
END_TEST

START_TEST(a_withdrawn_request_is_not_taken)
{
	begin();
	spoor_mailbox_request(pool, &asked);
	spoor_mailbox_withdraw(box);
	ck_assert(!spoor_mailbox_has_mail(box, taken));
	ck_assert_int_eq(spoor_mailbox_take(box, &taken, &got), 0);
	spoor_mailbox_request(pool, &asked);
	ck_assert_int_eq(spoor_mailbox_take(box, &taken, &got), 1);
}
END_TEST

START_TEST(a_half_written_request_is_not_taken)
{
	begin();
	box->asked = 3;
	ck_assert_int_eq(spoor_mailbox_take(box, &taken, &got), 0);
	/* The writer of this request died. The next request is whole. */
	ck_assert_uint_eq(spoor_mailbox_request(pool, &asked), 4);
	ck_assert_int_eq(spoor_mailbox_take(box, &taken, &got), 1);
}
END_TEST

START_TEST(request_numbers_may_overflow)
{
	begin();
	box->asked = taken = UINT32_MAX - 1;
	ck_assert_uint_eq(spoor_mailbox_request(pool, &asked), 2);
	ck_assert_int_eq(spoor_mailbox_take(box, &taken, &got), 1);
}
END_TEST

START_TEST(hostile_requests_get_an_error_as_answer)
{
	const uint32_t commands[] = { 0, SPOOR_MAIL_COUNT, UINT32_MAX };

	begin();
	for (int i = 0; i < 5; i++) {
		uint32_t number = spoor_mailbox_request(pool, &asked);

		if (i < 3)
			box->mail.command = commands[i];
		else
			memset(i == 3 ? box->mail.modules : box->mail.functions, 'x', SPOOR_MAIL_TEXT_BYTES);
		ck_assert_int_eq(spoor_mailbox_take(box, &taken, &got), -EINVAL);
		ck_assert_int_eq(spoor_mailbox_wait(box, number, SECOND_NS, &result), -EINVAL);
	}
}
END_TEST

START_TEST(hostile_answers_are_ignored)
{
	const int32_t answers[] = { 1, INT32_MAX, INT32_MIN, -4096 };

	begin();
	for (int i = 0; i < 4; i++) {
		uint32_t number = spoor_mailbox_request(pool, &asked);

		spoor_mailbox_answer(box, number, answers[i], 0);
		ck_assert_int_eq(spoor_mailbox_wait(box, number, SECOND_NS, &result), -EBADMSG);
	}
}
END_TEST

START_TEST(one_process_requests_at_a_time_and_a_dead_owner_blocks_no_one)
{
	int status, pipes[2];
	pid_t child;
	char byte;

	begin();
	ck_assert_int_eq(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		_exit(spoor_mailbox_claim(box, &owner) || write(pipes[1], "", 1) != 1 || pause());
	}
	ck_assert_int_eq(read(pipes[0], &byte, 1), 1);
	ck_assert_int_eq(spoor_mailbox_claim(box, &owner), -EBUSY);
	ck_assert_uint_eq(owner, (uint32_t)child);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	ck_assert_int_eq(spoor_mailbox_claim(box, &owner), 0);
	spoor_mailbox_release(box);
	/* The owner's process ID now belongs to another process. */
	box->owner = 1ull << 32 | (uint32_t)getpid();
	ck_assert_int_eq(spoor_mailbox_claim(box, &owner), 0);
}
END_TEST

#define ROUNDS 20000

static void *ask_all(void *unused)
{
	static struct spoor_mail mail;
	uint32_t number = 0;

	for (int i = 1; i <= ROUNDS; i++) {
		mail.command = SPOOR_MAIL_ENABLE + (uint32_t)i % 2;
		memset(mail.modules, 'a' + i % 26, 100);
		memset(mail.functions, 'a' + i % 26, 100);
		number = spoor_mailbox_request(pool, &mail);
		/* Later requests may replace earlier ones; only the last one must arrive. */
		if (i % 3 == 0 || i == ROUNDS)
			ck_assert_int_eq(spoor_mailbox_wait(box, number, 20ll * SECOND_NS, &result), 0);
	}
	return unused;
}

START_TEST(a_request_is_never_taken_in_pieces)
{
	pthread_t thread;
	int count = 0;

	begin();
	ck_assert_int_eq(pthread_create(&thread, NULL, ask_all, NULL), 0);
	while (taken != 2 * ROUNDS) {
		if (spoor_mailbox_take(box, &taken, &got) != 1)
			continue;
		for (int i = 1; i < 100; i++)
			ck_assert(got.modules[i] == got.modules[0] && got.functions[i] == got.modules[0]);
		spoor_mailbox_answer(box, taken, 0, 0);
		count++;
	}
	pthread_join(thread, NULL);
	ck_assert_int_ge(count, ROUNDS / 3);
}
END_TEST

UNIT_MAIN("mailbox", a_request_is_taken_once_and_its_answer_arrives, a_request_wakes_the_drainer,
	  an_answer_to_an_earlier_request_is_ignored, a_withdrawn_request_is_not_taken,
	  a_half_written_request_is_not_taken, request_numbers_may_overflow,
	  hostile_requests_get_an_error_as_answer, hostile_answers_are_ignored,
	  one_process_requests_at_a_time_and_a_dead_owner_blocks_no_one, a_request_is_never_taken_in_pieces)
