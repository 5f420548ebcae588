/* SPDX-License-Identifier: MIT */
/* recorder_client.h - the traced process's side of recorder_protocol.h. @name: value of SPOOR_RUNTIME_RECORDER. */
#ifndef SPOOR_RECORDER_CLIENT_H
#define SPOOR_RECORDER_CLIENT_H

#include <stdbool.h>

#include "format/pool_format.h"

/*
 * spoor_recorder_send - passes a pool to the recorder, and seals its size.
 * @pool_fd: a memfd made with MFD_ALLOW_SEALING; the caller closes it
 *
 * Returns 0, or a negative errno: then the process drains its pool itself.
 */
int spoor_recorder_send(const char *name, int pool_fd, const char *folder);

/* Tells if @path does not lead to the recorder's trace directory in this process: it is missing or a different one. */
bool spoor_recorder_is_elsewhere(const char *name, const char *path);

/*
 * spoor_recorder_folder - lets the recorder make a folder.
 * @folder: PATH_MAX bytes; set to the folder's path, which is valid for the recorder
 *
 * Returns 0, or a negative errno; -ETIMEDOUT if the recorder does not answer.
 */
int spoor_recorder_folder(const char *name, char *folder);

/* Opens a file of that folder for reading and writing, and creates it if needed. Returns a descriptor, or a
 * negative errno as above. */
int spoor_recorder_file(const char *name, const char *folder, const char *file);

/* Sends the file of a module, at its path in the trace. Returns 0, or a negative errno. Under the registry's lock. */
int spoor_recorder_send_module(const char *name, const char *path);

/* Closes the descriptor in @name, if it still is the recorder's socket. */
void spoor_recorder_close_door(const char *name);

/* Tells if the recorder of a pool is gone, so that the pool will never be drained. May change errno. */
bool spoor_recorder_is_gone(const struct spoor_pool *pool);

#endif
