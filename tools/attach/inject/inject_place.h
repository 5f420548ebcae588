/* SPDX-License-Identifier: MIT */
/* inject_place.h - decides whether a stopped thread may call the dynamic loader (inject.h, I2). */
#ifndef SPOOR_TOOLS_INJECT_PLACE_H
#define SPOOR_TOOLS_INJECT_PLACE_H

#include "attach/target.h"

/* The addresses of functions that take locks. */
struct inject_places {
	uint64_t *functions;
	size_t count;
};

/* Finds the addresses. Returns 0 or -ENOMEM. */
int inject_places_find(struct inject_places *places, const struct target *target);
void inject_places_free(struct inject_places *places);

/* Returns whether the thread holds no such lock. Context: the tracer of @thread, which is stopped. */
bool inject_place_is_safe(const struct inject_places *places, const struct target *target, pid_t thread);

/* Returns whether no readable frame of the thread is in @image. Context: as above. */
bool inject_place_is_outside(const struct target *target, const struct target_image *image, pid_t thread);

#endif
