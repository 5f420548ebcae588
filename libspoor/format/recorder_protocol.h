/* SPDX-License-Identifier: MIT */
/*
 * recorder_protocol.h - how a traced process hands its pool to `spoor record`.
 *
 * The process connects to the recorder that SPOOR_RUNTIME_RECORDER names, sends one struct
 * spoor_recorder_hello with the pool's descriptor (SCM_RIGHTS), and closes. Both sides look at the
 * other's user ID (SO_PEERCRED). A pool that was sent is the recorder's, whatever becomes of the
 * process. Its size is sealed: what is mapped of it here could be taken away from there otherwise.
 *
 * A process in a container may see neither the trace directory nor the recorder's network name
 * space. So the name is NAME[/DEVICE.INODE[/DESCRIPTOR.INODE]]: of an abstract socket; of the trace
 * directory, in hexadecimal: where the process finds another one, or none, at its path, it asks for
 * a folder and for each file in it, and is answered; of a descriptor that it inherited, or was
 * given: the door, a datagram socket to the recorder, which takes one end of a new pair of
 * connected sockets in the place of a connection.
 */
#ifndef SPOOR_RECORDER_PROTOCOL_H
#define SPOOR_RECORDER_PROTOCOL_H

#include <limits.h>
#include <stdint.h>

#define SPOOR_RECORDER_MAGIC 0x31636572u	/* "rec1": here is my pool */
#define SPOOR_RECORDER_FOLDER 0x31646c66u	/* "fld1": make me a folder */
#define SPOOR_RECORDER_FILE 0x316c6966u		/* "fil1": make me this file, or open it again */
#define SPOOR_RECORDER_DOOR 0x31726f64u		/* "dor1": the only word of what goes through the door */
#define SPOOR_RECORDER_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

struct spoor_recorder_hello {
	uint32_t magic;
	uint32_t process_id;
	char folder[PATH_MAX];	/* the process's folder in the trace; "FOLDER/NAME" of a file; "" */
};

/* To the last two of these; a file comes with it. */
struct spoor_recorder_answer {
	int32_t error;		/* 0 or a negative errno */
	uint32_t padding;
	char folder[PATH_MAX];	/* of a folder: where it is, outside */
};

#endif
