/* SPDX-License-Identifier: MIT */
/*
 * mailbox.h - the mailbox in the header of a pool, by which `spoor ctl` sends requests to a process.
 *
 * A process that may write to the pool may send requests: processes of the same user, and of root. Neither
 * side trusts the other: every text is bounded, and copied before it is examined.
 *
 * Invariants
 *   I1  Only the owner changes the fields of the requesting side. A new owner may replace a dead one.
 *   I2  `asked` is odd while the request is being written, and grows by two with each request.
 *   I3  A request is answered once: by the drainer, or by the process that it names.
 */
#ifndef SPOOR_MAILBOX_H
#define SPOOR_MAILBOX_H

#include "format/pool_format.h"

#define SPOOR_MAIL_TEXT_BYTES 4096u

enum spoor_mail_command {
	/* Any drainer executes these. */
	SPOOR_MAIL_FLUSH = 1,
	SPOOR_MAIL_CLEAR = 2,
	/* Only the traced process executes these: in a thread of the runtime, or in a call of the API. */
	SPOOR_MAIL_ENABLE = 3,		/* uses `modules` and `functions` */
	SPOOR_MAIL_DISABLE = 4,
	SPOOR_MAIL_MODE = 5,		/* `functions` is the name of the mode */
	SPOOR_MAIL_STOP = 6,
	SPOOR_MAIL_TRACEPOINTS_ENABLE = 7,	/* `functions` has the patterns */
	SPOOR_MAIL_TRACEPOINTS_DISABLE = 8,
	SPOOR_MAIL_ARGUMENTS = 9,	/* `functions` has the choices (text/capture_text.h), or "" */
	SPOOR_MAIL_RESULTS = 10,
	SPOOR_MAIL_COUNT,
};

struct spoor_mail {
	uint32_t command;	/* enum spoor_mail_command */
	char modules[SPOOR_MAIL_TEXT_BYTES];	/* patterns, terminated by NUL */
	char functions[SPOOR_MAIL_TEXT_BYTES];	/* patterns, terminated by NUL; other texts: see above */
};

struct spoor_mailbox {
	/* Written by the requesting side. */
	uint64_t owner;		/* the requester: process ID, and its start time << 32; 0: none */
	uint32_t asked;		/* number of the latest request; odd while it is written */
	struct spoor_mail mail;

	/* Written by the answering side. */
	_Alignas(64) uint32_t answered;	/* futex: number of the answered request, from `asked` */
	int32_t answer;		/* 0 or a negative errno */
	int64_t result;		/* number of functions or tracepoints that changed */
};

_Static_assert(SPOOR_POOL_MAILBOX_OFFSET + sizeof(struct spoor_mailbox) <= SPOOR_POOL_TRIGGER_OFFSET, "must fit");

static inline struct spoor_mailbox *spoor_pool_mailbox(struct spoor_pool *pool)
{
	return (struct spoor_mailbox *)((char *)pool + SPOOR_POOL_MAILBOX_OFFSET);
}

/* Tells if there is a request that was not taken. */
static inline int spoor_mailbox_has_mail(const struct spoor_mailbox *box, uint32_t taken)
{
	uint32_t asked = __atomic_load_n(&box->asked, __ATOMIC_ACQUIRE);

	return asked != taken && !(asked & 1);
}

/*
 * spoor_mailbox_take - copies the latest request.
 * @taken: in: number of the request that was taken last; out: number of this request
 *
 * Return: 1; 0 if there is no new request; -EINVAL if the request is invalid: it is answered with
 * this error.
 */
int spoor_mailbox_take(struct spoor_mailbox *box, uint32_t *taken, struct spoor_mail *mail);

void spoor_mailbox_answer(struct spoor_mailbox *box, uint32_t taken, int answer, int64_t result);

/* The functions for the requesting side. Those with an int return 0 or a negative errno. */

/*
 * spoor_mailbox_claim - makes this process the owner of the mailbox.
 * @owner: out: the owner's process ID with -EBUSY
 *
 * Return: 0, or -EBUSY if another living process owns it.
 */
int spoor_mailbox_claim(struct spoor_mailbox *box, uint32_t *owner);
void spoor_mailbox_release(struct spoor_mailbox *box);

/* Stores a request and wakes the drainer. Returns the number that the answer will have. */
uint32_t spoor_mailbox_request(struct spoor_pool *pool, const struct spoor_mail *mail);

/* Withdraws the request if no drainer has taken it. */
void spoor_mailbox_withdraw(struct spoor_mailbox *box);

/*
 * spoor_mailbox_wait - waits for the answer to the request @asked.
 * @result: out: the answer's count
 *
 * Return: the answer, 0 or a negative errno; -EBADMSG for an invalid answer; -ETIMEDOUT.
 */
int spoor_mailbox_wait(struct spoor_mailbox *box, uint32_t asked, int64_t timeout_ns, int64_t *result);

#endif
