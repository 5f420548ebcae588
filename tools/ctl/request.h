/* SPDX-License-Identifier: MIT */
/* request.h - has a traced process do something, by whichever way it can be reached. */
#ifndef SPOOR_TOOLS_CONTROL_H
#define SPOOR_TOOLS_CONTROL_H

#include "attach/find_pool.h"
#include "format/mailbox.h"

/*
 * control - asks for it, and waits until it is done.
 * @live:    has libspoor.so
 * @changed: how many functions did
 *
 * Return: 0, or a negative errno, which has been said. @what: of the request, for that.
 */
int control(const struct live_pool *live, const struct spoor_mail *mail, const char *what, int64_t *changed);

#endif
