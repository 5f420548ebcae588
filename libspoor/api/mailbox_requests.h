/* SPDX-License-Identifier: MIT */
/* mailbox_requests.h - what `spoor ctl` asks for is done in the process itself. */
#ifndef SPOOR_CONTROL_H
#define SPOOR_CONTROL_H

#include "format/mailbox.h"

/*
 * spoor_control_serve - does what the pool's mailbox asks for, and answers.
 * @taken: as in spoor_mailbox_take
 * @mail:  room
 *
 * Context: a thread of the process that holds no lock of ours. Not signal-safe.
 */
void spoor_control_serve(struct spoor_pool *pool, uint32_t *taken, struct spoor_mail *mail);

#endif
