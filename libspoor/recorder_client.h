/* SPDX-License-Identifier: MIT */
/* recorder_client.h - the traced process's side of recorder_protocol.h. */
#ifndef SPOOR_RECORDER_CLIENT_H
#define SPOOR_RECORDER_CLIENT_H

/*
 * spoor_recorder_send - hands a pool over.
 * @name: of the abstract socket, without its leading NUL
 *
 * Return: 0, or a negative errno: then the process drains its pool itself.
 */
int spoor_recorder_send(const char *name, int pool_fd, const char *folder);

#endif
