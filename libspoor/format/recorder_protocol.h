/* SPDX-License-Identifier: MIT */
/*
 * recorder_protocol.h - the protocol by which a traced process gives its pool to `spoor record`.
 *
 * The process connects to the recorder that SPOOR_RUNTIME_RECORDER names, sends one struct
 * spoor_recorder_hello with the pool's descriptor (SCM_RIGHTS), and closes the connection. Both sides
 * check the user ID of the other (SO_PEERCRED). After that the recorder owns the pool, however the
 * process ends. The size of the pool is sealed: otherwise the process could shrink it while the
 * recorder has it mapped.
 *
 * For each module it also sends the module's file, on a connection of its own. The file may be removed or
 * replaced while the module is loaded. The recorder then puts the names of its functions into the trace.
 *
 * A process in a container may see neither the trace directory nor the recorder's network name space.
 * So the name has the form NAME[/DEVICE.INODE[/DESCRIPTOR.INODE]]:
 *   NAME               of an abstract socket
 *   DEVICE.INODE       of the trace directory, in hexadecimal. If the process finds no directory or
 *                      another one at its path, it asks the recorder for a folder and for each file.
 *   DESCRIPTOR.INODE   of a descriptor that the process inherited or received. It is a datagram socket
 *                      to the recorder, the "door". The process sends one end of a new pair of
 *                      connected sockets through it, and uses the pair instead of a connection.
 */
#ifndef SPOOR_RECORDER_PROTOCOL_H
#define SPOOR_RECORDER_PROTOCOL_H

#include <limits.h>
#include <stdint.h>

#define SPOOR_RECORDER_MAGIC 0x31636572u	/* "rec1": takes my pool */
#define SPOOR_RECORDER_FOLDER 0x31646c66u	/* "fld1": create a folder for me */
#define SPOOR_RECORDER_FILE 0x316c6966u		/* "fil1": create this file, or open it again */
#define SPOOR_RECORDER_MODULE 0x31646f6du	/* "mod1": the file of a module */
#define SPOOR_RECORDER_DOOR 0x31726f64u		/* "dor1": the only message through the door */
#define SPOOR_RECORDER_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

struct spoor_recorder_hello {
	uint32_t magic;
	uint32_t process_id;
	char folder[PATH_MAX];	/* the process's folder in the trace; "FOLDER/NAME" of a file; a module's path; "" */
};

/* The answer to SPOOR_RECORDER_FOLDER and SPOOR_RECORDER_FILE. A file's descriptor comes with it. */
struct spoor_recorder_answer {
	int32_t error;		/* 0 or a negative errno */
	uint32_t padding;
	char folder[PATH_MAX];	/* path of a new folder, in the recorder's name space */
};

#endif
