/* SPDX-License-Identifier: MIT */
/*
 * attach.h - starts and ends the recording of a running process.
 *
 * The process is stopped for moments, at the start and the end: one thread at a time, and all threads while the sleds
 * are woken, to read their stacks. Between these moments no tracer is attached to the process.
 */
#ifndef SPOOR_TOOLS_ATTACH_H
#define SPOOR_TOOLS_ATTACH_H

#include "attach/inject/inject_masks.h"
#include "attach/recorder_door.h"
#include "attach/target.h"
#include "format/attachment_request.h"

/*
 * attach_begin - loads libspoor.so into the process if it is missing there, and wakes the chosen functions.
 * @request: filled in except for version and size; receives the answer
 * @library: path of libspoor.so
 * @trap:    path of libspoor_trap.so if tracepoints may need breakpoints, or null
 * @masks:   receives the threads that blocked SIGTRAP, for attach_end
 * @door:    for a process in a container, which may see neither the library nor the recorder; else null
 *
 * Returns the number of awake functions and enabled tracepoints, or a negative errno after a message.
 */
long attach_begin(struct target *target, struct spoor_attachment *request, const char *library, const char *trap,
		  struct inject_masks *masks, const struct recorder_door *door);

/*
 * attach_end - ends the recording, and restores the process. libspoor.so and libspoor_trap.so stay mapped.
 * @masks: may be null
 *
 * Returns 0, also if the process has ended, or a negative errno after a message.
 */
int attach_end(struct target *target, struct inject_masks *masks);

#endif
