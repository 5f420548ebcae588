/* SPDX-License-Identifier: MIT */
/* recorder_client.h - the traced process's side of recorder_protocol.h. */
#ifndef SPOOR_RECORDER_CLIENT_H
#define SPOOR_RECORDER_CLIENT_H

#include <stdbool.h>

#include "pool_format.h"

/*
 * spoor_recorder_send - hands a pool over, and fixes its size for good.
 * @name:    of the abstract socket, without its leading NUL
 * @pool_fd: a memfd made with MFD_ALLOW_SEALING
 *
 * Return: 0, or a negative errno: then the process drains its pool itself.
 */
int spoor_recorder_send(const char *name, int pool_fd, const char *folder);

/* Whether nobody drains a pool that was sent, or ever will. May change errno. */
bool spoor_recorder_is_gone(const struct spoor_pool *pool);

#endif
