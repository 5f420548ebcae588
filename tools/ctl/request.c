/* SPDX-License-Identifier: MIT */
/* request.c - sends a request by the mailbox in the pool, or by injecting a call into a thread of the process. */
#include "ctl/request.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "config/configuration.h"
#include "ctl/request_by_injection.h"
#include "attach/frozen.h"
#include "attach/inject/inject.h"
#include "attach/inject/inject_notice.h"
#include "base/command_name.h"
#include "base/message.h"

#define PATIENCE_NS 15000000000	/* longer than the process waits for itself */
#define LOOK_NS 100000000
#define CLAIM_NS 5000000000

/* Adds to @context, a bool, whether this thread belongs to libspoor.so or spoor record. */
static int check_thread(void *context, pid_t thread)
{
	char path[64], name[COMMAND_NAME_MAX];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)thread);
	command_name(AT_FDCWD, path, name);
	*(bool *)context |= strcmp(name, "spoor") == 0;
	return -EAGAIN;
}

/* Returns whether the process has its service thread: a forked child starts it late. */
static bool has_service_thread(const struct live_pool *live)
{
	bool has = false;

	inject_each_thread(live->process_id, "RSDTtIP", check_thread, &has);
	return has;
}

/* Returns whether a thread of the process has to make the call: no drainer runs yet, or the drainer is a
 * recorder, and only the process itself can fulfil the request. */
static bool has_to_call_in(const struct live_pool *live, const struct spoor_mail *mail)
{
	if (!live->pool)
		return true;
	if (!live->recorder)
		return *live->runtime && !has_service_thread(live);
	return mail->command != SPOOR_MAIL_FLUSH && mail->command != SPOOR_MAIL_CLEAR;
}

/* Waits until no other request is pending. Returns 0, or -EBUSY after a message. */
static int claim(const struct live_pool *live)
{
	struct spoor_mailbox *box = spoor_pool_mailbox(live->pool);
	uint32_t owner = 0;
	int error = spoor_mailbox_claim(box, &owner);

	for (int64_t left_ns = CLAIM_NS; error == -EBUSY && left_ns > 0; left_ns -= 10000000) {
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
		error = spoor_mailbox_claim(box, &owner);
	}
	if (!error)
		return 0;
	message("process %d is being controlled by another spoor, process %" PRIu32 "; try again when it has ended",
		(int)live->process_id, owner);
	return -EBUSY;
}

static void print_failure(int process_id, const struct spoor_mail *mail, const char *what, int error)
{
	bool to_handler = mail->command == SPOOR_MAIL_MODE && strcmp(mail->functions, SPOOR_MODE_HANDLER) == 0;

	if (error == -ESHUTDOWN)
		message("process %d no longer records: 'spoor ctl %d mode log' (or ring, or count) starts it again",
			process_id, process_id);
	else if (error == -ESRCH)
		message("process %d has ended", process_id);
	else if ((error == -ETIMEDOUT || error == -EAGAIN || error == -EDEADLK) && process_is_frozen(process_id))
		message("process %d is frozen: thaw its control group first", process_id);
	else if (error == -ETIMEDOUT)
		message("process %d does not answer: is it stopped, or is its disk full?", process_id);
	else if (error == -EINTR)
		message("process %d: interrupted; %s was not carried out", process_id, what);
	else if (error == -EAGAIN)
		message("process %d: no thread could be stopped at a safe place; try again", process_id);
	else if (error == -EDEADLK)
		message("process %d: a thread that does not run holds a lock of libspoor.so (is the process stopped?); "
			"nothing has changed", process_id);
	else if (error == -EBUSY && to_handler)
		message("process %d records the order of first calls: use 'spoor ctl %d mode log' first",
			process_id, process_id);
	else if (error == -EBUSY)
		message("process %d passes its events to a handler, which excludes all modes but 'off' and 'handler'",
			process_id);
	else if (error == -ENOENT && to_handler)
		message("process %d has no handler", process_id);
	else if (error == -ELIBBAD)
		message("process %d: its libspoor.so has another version, or cannot be read", process_id);
	else if (error == -EBADMSG)
		message("process %d gave an invalid answer: its memory is damaged", process_id);
	else
		message("process %d: %s failed: %s", process_id, what, strerror(-error));
}

/* Returns whether the answering thread, in the process or the recorder, only lacks a processor. */
static bool waits_for_processor(const struct live_pool *live)
{
	bool waits = false;

	inject_each_thread(live->recorder ? live->recorder : live->process_id, "R", check_thread, &waits);
	return waits;
}

/* Waits for the answer, until the process ends. Returns 0 or a negative errno. */
static int ask(const struct live_pool *live, const struct spoor_mail *mail, int64_t *changed)
{
	struct spoor_mailbox *box = spoor_pool_mailbox(live->pool);
	uint32_t asked = spoor_mailbox_request(live->pool, mail);
	int error = -ETIMEDOUT;
	bool ended = false;

	inject_notice_begin(INJECT_CHANGE);
	for (int64_t left_ns = PATIENCE_NS; error == -ETIMEDOUT && !ended; left_ns -= LOOK_NS) {
		if (left_ns <= 0 && !waits_for_processor(live))
			break;
		inject_notice(live->process_id, 0, INJECT_WAIT_ANSWER);
		ended = !inject_running_thread(live->process_id);
		error = spoor_mailbox_wait(box, asked, ended ? 0 : LOOK_NS, changed);
		if (error == -ETIMEDOUT && inject_is_interrupted())
			error = -EINTR;
	}
	spoor_mailbox_withdraw(box);
	return error == -ETIMEDOUT && ended ? -ESRCH : error;
}

int control(const struct live_pool *live, const struct spoor_mail *mail, const char *what, int64_t *changed)
{
	int error;

	*changed = 0;
	if (has_to_call_in(live, mail) && !*live->runtime) {
		message("process %d has the runtime in its executable: only flush and clear work, and only while spoor "
			"record writes its events", (int)live->process_id);
		return -ENOEXEC;
	}
	if (live->pool && claim(live))
		return -ENOEXEC;
	if (mail->command == SPOOR_MAIL_TRACEPOINTS_ENABLE)
		ctl_inject_trap(live);
	error = has_to_call_in(live, mail) ? ctl_inject(live, mail, changed) : ask(live, mail, changed);
	if (live->pool)
		spoor_mailbox_release(spoor_pool_mailbox(live->pool));
	if (error && error != -ENOEXEC)
		print_failure((int)live->process_id, mail, what, error);
	return error;
}
