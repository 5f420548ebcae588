/* SPDX-License-Identifier: MIT */
/*
 * recorder_protocol.h - how a traced process hands its pool to `spoor record`.
 *
 * The process connects to the abstract socket that SPOOR_RUNTIME_RECORDER
 * names, sends one struct spoor_recorder_hello with the pool's descriptor
 * (SCM_RIGHTS), and closes. Both sides look at the other's user ID (SO_PEERCRED). A
 * pool that was sent is the recorder's, whatever becomes of the process. Its size is
 * sealed: what is mapped of it here could be taken away from there otherwise.
 */
#ifndef SPOOR_RECORDER_PROTOCOL_H
#define SPOOR_RECORDER_PROTOCOL_H

#include <limits.h>
#include <stdint.h>

#define SPOOR_RECORDER_MAGIC 0x31636572u	/* "rec1" */
#define SPOOR_RECORDER_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

struct spoor_recorder_hello {
	uint32_t magic;
	uint32_t process_id;
	char folder[PATH_MAX];	/* the process's folder in the trace */
};

#endif
