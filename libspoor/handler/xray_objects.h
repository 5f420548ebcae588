/* SPDX-License-Identifier: MIT */
/*
 * xray_objects.h - modules and functions by the numbers that XRay gives them. What
 * libspoor_xray.so asks of libspoor.so; nobody else's to call.
 *
 * An object is a module that has registered: 0 the executable, the others from 1
 * on as they came; one that is closed and opened again is the one that it was.
 * A function's number is its position among those of the module's sled map, from 1.
 *
 * With libspoor_xray.so in the process nothing is patched unasked, and no trace
 * is written: events go to the handler, or nowhere.
 */
#ifndef SPOOR_OBJECTS_H
#define SPOOR_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#define SPOOR_OBJECTS_VERSION 1

/* What a packed ID has room for. */
#define SPOOR_OBJECTS_MAX 256
#define SPOOR_OBJECT_FUNCTIONS_MAX 0xffffff

/* Any context but signal handlers, unless it is said. Numbers may be any. */
struct spoor_objects {
	uint32_t version;

	/* Return: 0 or -ESHUTDOWN. */
	int (*begin)(void);

	/* How many objects there are or were, the executable counted in any case; 0: no module. */
	int32_t (*count)(void);

	/* The highest number of a function. Return: 0 where there is none, or it is not loaded. */
	int32_t (*functions)(int32_t object);

	/* Return: 0 for no such function, or one of an object that is not loaded. */
	uintptr_t (*address)(int32_t object, int32_t function);

	/*
	 * Patches a function, or makes it dormant. @function: 0 for all of the object's
	 * Return: 0, -ENOENT for no such function, -EACCES where that cannot be done, -ESHUTDOWN.
	 */
	int (*patch)(int32_t object, int32_t function, bool on);

	/* Calls @handler, of any C, at each event; null: nothing. Return: 0 or -ESHUTDOWN. */
	int (*set_handler)(void (*handler)(uint64_t function_id, int event));

	/* The packed ID. Return: false for a function that has none. Signal-safe, about 5 ns. */
	bool (*packed)(uint64_t function_id, uint32_t *packed);
};

/* Return: null for a version that this libspoor.so does not have. */
const struct spoor_objects *spoor_objects(uint32_t version);

#endif
