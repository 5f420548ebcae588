/* SPDX-License-Identifier: MIT */
/* request.h - sends a request to a traced process, by whichever way works. */
#ifndef SPOOR_TOOLS_CTL_REQUEST_H
#define SPOOR_TOOLS_CTL_REQUEST_H

#include "attach/find_pool.h"
#include "format/mailbox.h"

/*
 * control - sends the request and waits until it is done.
 * @live:    must have libspoor.so
 * @what:    names the request in messages
 * @changed: number of functions that changed
 *
 * Returns 0, or a negative errno after a message.
 */
int control(const struct live_pool *live, const struct spoor_mail *mail, const char *what, int64_t *changed);

#endif
