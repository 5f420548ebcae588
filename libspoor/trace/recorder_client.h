/* SPDX-License-Identifier: MIT */
/* recorder_client.h - the traced process's side of recorder_protocol.h. @name: SPOOR_RUNTIME_RECORDER. */
#ifndef SPOOR_RECORDER_CLIENT_H
#define SPOOR_RECORDER_CLIENT_H

#include <stdbool.h>

#include "format/pool_format.h"

/*
 * spoor_recorder_send - hands a pool over, and fixes its size for good.
 * @pool_fd: a memfd made with MFD_ALLOW_SEALING
 *
 * Return: 0, or a negative errno: then the process drains its pool itself.
 */
int spoor_recorder_send(const char *name, int pool_fd, const char *folder);

/* Whether @path is not the recorder's trace directory here, but another one or none. */
bool spoor_recorder_is_elsewhere(const char *name, const char *path);

/*
 * spoor_recorder_folder - has the recorder make a folder.
 * @folder: PATH_MAX bytes for its path, which holds outside
 *
 * Return: 0, or a negative errno; -ETIMEDOUT where the recorder does not answer.
 */
int spoor_recorder_folder(const char *name, char *folder);

/* A file of that folder, made where it is not there, for reading and writing. Return: a descriptor, or as above. */
int spoor_recorder_file(const char *name, const char *folder, const char *file);

/* Lets go of a descriptor that @name has, if it is still what it was. */
void spoor_recorder_close_door(const char *name);

/* Whether nobody drains a pool that was sent, or ever will. May change errno. */
bool spoor_recorder_is_gone(const struct spoor_pool *pool);

#endif
