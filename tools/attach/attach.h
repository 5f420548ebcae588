/* SPDX-License-Identifier: MIT */
/*
 * attach.h - begins and ends the tracing of a process that is running.
 *
 * The process is stopped for moments at the begin and the end: one thread at a time, and all of
 * them while the sleds are woken, for what they are in to be known. Between these nobody is
 * attached to it.
 */
#ifndef SPOOR_TOOLS_ATTACH_H
#define SPOOR_TOOLS_ATTACH_H

#include "attach/inject_masks.h"
#include "attach/recorder_door.h"
#include "attach/target.h"
#include "format/attachment_request.h"

/*
 * attach_begin - loads libspoor.so where it is not there yet and wakes what is chosen.
 * @request:  filled in but for the version and the size; gets the answer
 * @library:  the path of libspoor.so
 * @trap:     that of libspoor_trap.so where tracepoints may need breakpoints, or null
 * @masks:    gets the threads that had SIGTRAP blocked, for attach_end
 * @door:     null, or of a process in a container, which may see neither the library nor the recorder
 *
 * Return: how many functions are awake and tracepoints on, or a negative errno after a message.
 */
long attach_begin(struct target *target, struct spoor_attachment *request, const char *library, const char *trap,
		  struct inject_masks *masks, const struct recorder_door *door);

/*
 * attach_end - leaves the process as it was, but for libspoor.so, and libspoor_trap.so, which stay mapped.
 * @masks: null where there are none
 *
 * Return: 0, also where it has ended meanwhile, or a negative errno after a message.
 */
int attach_end(struct target *target, struct inject_masks *masks);

#endif
