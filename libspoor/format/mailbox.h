/* SPDX-License-Identifier: MIT */
/*
 * mailbox.h - how `spoor ctl` asks something of a process, in the header of its pool.
 *
 * Whoever may write to the pool may ask: the process's own user and root. No side trusts
 * the other: every text is bounded, and copied before it is looked at.
 *
 * Invariants
 *   I1  Only the owner changes what is the asking side's. A dead owner's place may be taken.
 *   I2  `asked` is odd while the request is being written, and goes up by two with each.
 *   I3  A request is answered once: by the drainer, or by the process that it names.
 */
#ifndef SPOOR_MAILBOX_H
#define SPOOR_MAILBOX_H

#include "format/pool_format.h"

#define SPOOR_MAIL_TEXT_BYTES 4096u

enum spoor_mail_command {
	/* Whoever drains can do these. */
	SPOOR_MAIL_FLUSH = 1,
	SPOOR_MAIL_CLEAR = 2,
	/* These are the process's own: a thread of it that is ours, or one that calls in. */
	SPOOR_MAIL_ENABLE = 3,		/* modules, functions */
	SPOOR_MAIL_DISABLE = 4,
	SPOOR_MAIL_MODE = 5,		/* functions: the mode's name */
	SPOOR_MAIL_STOP = 6,
	SPOOR_MAIL_TRACEPOINTS_ENABLE = 7,	/* functions: patterns */
	SPOOR_MAIL_TRACEPOINTS_DISABLE = 8,
	SPOOR_MAIL_COUNT,
};

struct spoor_mail {
	uint32_t command;	/* enum spoor_mail_command */
	char modules[SPOOR_MAIL_TEXT_BYTES];	/* patterns, */
	char functions[SPOOR_MAIL_TEXT_BYTES];	/* each with its NUL */
};

struct spoor_mailbox {
	/* The asking side's. */
	uint64_t owner;		/* who may ask: process ID, and when it began << 32; 0: nobody */
	uint32_t asked;
	struct spoor_mail mail;

	/* The answering side's. */
	_Alignas(64) uint32_t answered;	/* futex: as `asked` was */
	int32_t answer;		/* 0 or a negative errno */
	int64_t result;		/* how many functions, or tracepoints, changed */
};

_Static_assert(SPOOR_POOL_MAILBOX_OFFSET + sizeof(struct spoor_mailbox) <= SPOOR_POOL_TRIGGER_OFFSET, "it fits");

static inline struct spoor_mailbox *spoor_pool_mailbox(struct spoor_pool *pool)
{
	return (struct spoor_mailbox *)((char *)pool + SPOOR_POOL_MAILBOX_OFFSET);
}

/* Whether there is something that was not taken yet. */
static inline int spoor_mailbox_has_mail(const struct spoor_mailbox *box, uint32_t taken)
{
	uint32_t asked = __atomic_load_n(&box->asked, __ATOMIC_ACQUIRE);

	return asked != taken && !(asked & 1);
}

/*
 * spoor_mailbox_take - copies a request.
 * @taken: as `asked` was when the last one was taken; moved on
 *
 * Return: 1; 0 where there is none; -EINVAL where it makes no sense, and is answered so.
 */
int spoor_mailbox_take(struct spoor_mailbox *box, uint32_t *taken, struct spoor_mail *mail);

void spoor_mailbox_answer(struct spoor_mailbox *box, uint32_t taken, int answer, int64_t result);

/* How spoor ctl asks; each returns 0 or a negative errno. */

/*
 * spoor_mailbox_claim - -EBUSY where another one that lives has it; @owner is then its process
 * ID.
 */
int spoor_mailbox_claim(struct spoor_mailbox *box, uint32_t *owner);
void spoor_mailbox_release(struct spoor_mailbox *box);

/* Puts a request in, and wakes who drains the pool. Return: what the answer will bear. */
uint32_t spoor_mailbox_ask(struct spoor_pool *pool, const struct spoor_mail *mail);

/* Takes back what nobody has taken. */
void spoor_mailbox_withdraw(struct spoor_mailbox *box);

/*
 * spoor_mailbox_wait - for the answer to @asked.
 *
 * Return: the answer, 0 or a negative errno, and @result; -ETIMEDOUT.
 */
int spoor_mailbox_wait(struct spoor_mailbox *box, uint32_t asked, int64_t timeout_ns, int64_t *result);

#endif
