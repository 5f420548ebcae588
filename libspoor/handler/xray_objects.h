/* SPDX-License-Identifier: MIT */
/*
 * xray_objects.h - numbers modules and functions as XRay does. libspoor_xray.so calls these
 * functions of libspoor.so; no other caller is supported.
 *
 * An object is a module that has registered: 0 is the executable, the others count from 1
 * in the order in which they came. A module that is closed and opened again keeps its number.
 * A function's number is its position among the functions of the module's sled map, from 1.
 *
 * If libspoor_xray.so is in the process, functions are patched on request only, and spoor
 * writes no trace: the handler receives the events, or they are dropped.
 */
#ifndef SPOOR_XRAY_OBJECTS_H
#define SPOOR_XRAY_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#define SPOOR_OBJECTS_VERSION 1

/* The limits of a packed ID. */
#define SPOOR_OBJECTS_MAX 256
#define SPOOR_OBJECT_FUNCTIONS_MAX 0xffffff

/* Any context but signal handlers, unless a comment says otherwise. Every number is a valid argument. */
struct spoor_objects {
	uint32_t version;

	/* Returns 0, or -ESHUTDOWN. */
	int (*begin)(void);

	/* The number of objects, loaded or not, including the executable; 0 if no module has registered. */
	int32_t (*count)(void);

	/* The highest number of a function; 0 if there is none, or the object is not loaded. */
	int32_t (*functions)(int32_t object);

	/* The function's address; 0 if there is no such function, or its object is not loaded. */
	uintptr_t (*address)(int32_t object, int32_t function);

	/*
	 * Patches a function, or makes it dormant.
	 * @function: 0 for all functions of the object
	 *
	 * Returns 0, or
	 *   -ENOENT     there is no such function
	 *   -EACCES     the function cannot be patched
	 *   -ESHUTDOWN  the runtime is off
	 */
	int (*patch)(int32_t object, int32_t function, bool on);

	/* Calls @handler at each event; it may be any C function. Null drops events. Returns 0, or -ESHUTDOWN. */
	int (*set_handler)(void (*handler)(uint64_t function_id, int event));

	/* Sets @packed to the packed ID. Returns false if the function has no packed ID. Signal-safe, about 5 ns. */
	bool (*packed)(uint64_t function_id, uint32_t *packed);
};

/* Returns null if this libspoor.so does not have @version. */
const struct spoor_objects *spoor_objects(uint32_t version);

#endif
