/* SPDX-License-Identifier: MIT */
/*
 * spoor/scope.h - macros for named scopes, which the trace shows like calls, and for numbers that change
 * over time. For C and C++, with gcc and clang.
 *
 *      #include <spoor/scope.h>
 *
 *      {
 *              SPOOR_SCOPE("parse");           // ends with the block, even by return or an exception
 *              SPOOR_COUNTER("bytes", size);
 *      }
 *      SPOOR_SCOPE_BEGIN("wait");
 *      ...
 *      SPOOR_SCOPE_END("wait");                // in the same thread
 *
 * Names are string literals of at most 4095 bytes. The program needs no library. While events are not
 * recorded, a scope costs one test at each end, with or without libspoor.so. While they are recorded, each
 * end costs about as much as spoor_log_event. If longjmp leaves a scope, the tools end it, as they do for
 * calls.
 */
#ifndef SPOOR_SCOPE_H
#define SPOOR_SCOPE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of spoor.h, if libspoor.so is in the process. */
#pragma weak spoor_logs_flag
const char *spoor_logs_flag(void);
#pragma weak spoor_log_scope_begin
int spoor_log_scope_begin(uint64_t name);
#pragma weak spoor_log_scope_end
int spoor_log_scope_end(uint64_t name);
#pragma weak spoor_intern_string
uint64_t spoor_intern_string(const char *string);
#pragma weak spoor_log_event
int spoor_log_event(uint32_t type, uint64_t payload_1, uint32_t payload_2);
#pragma weak spoor_name_event_type
int spoor_name_event_type(uint32_t type, const char *name, int payload_1);

/* The helpers are always inlined: as a separate, instrumented function, a helper would begin inside the scope
 * and end outside of it. */
#define SPOOR_SCOPE_HELPER __attribute__((always_inline, no_instrument_function)) static __inline__
/* Put after the end of a scope: a tail call would come after the end of the function. */
#define SPOOR_SCOPE_NO_TAIL() __asm__ volatile("")

/* A use of a macro in the source. */
struct spoor_scope_place {
	const char *name;
	uint64_t id;		/* ID of the name; 0: not interned yet */
	const char *logs;	/* byte that is 0 while events are not recorded; "?": not looked up */
};

SPOOR_SCOPE_HELPER int spoor_scope_logs(const struct spoor_scope_place *place)
{
	return __atomic_load_n(__atomic_load_n(&place->logs, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/* Asks libspoor.so for the address of the byte, stores it in @place, and returns the byte's value. */
SPOOR_SCOPE_HELPER int spoor_scope_ask(struct spoor_scope_place *place)
{
	__atomic_store_n(&place->logs, spoor_logs_flag ? spoor_logs_flag() : "", __ATOMIC_RELAXED);
	return spoor_scope_logs(place);
}

SPOOR_SCOPE_HELPER uint64_t spoor_scope_id(struct spoor_scope_place *place)
{
	uint64_t id = __atomic_load_n(&place->id, __ATOMIC_RELAXED);

	if (!id && spoor_scope_ask(place)) {
		id = spoor_intern_string(place->name);
		__atomic_store_n(&place->id, id, __ATOMIC_RELAXED);
	}
	return id;
}

/* Returns the ID of the scope to end, or 0. */
SPOOR_SCOPE_HELPER uint64_t spoor_scope_begin(struct spoor_scope_place *place)
{
	uint64_t id = spoor_scope_id(place);

	return id && spoor_log_scope_begin(id) == 0 ? id : 0;
}

SPOOR_SCOPE_HELPER void spoor_scope_end(const uint64_t *id)
{
	if (*id)
		spoor_log_scope_end(*id);
	SPOOR_SCOPE_NO_TAIL();
}

SPOOR_SCOPE_HELPER void spoor_scope_leave(struct spoor_scope_place *place)
{
	uint64_t id = spoor_scope_id(place);

	if (id)
		spoor_log_scope_end(id);
	SPOOR_SCOPE_NO_TAIL();
}

/* Returns the type of user events for a name: its FNV-1a hash with the upper bit set, as spoor.h requires. */
SPOOR_SCOPE_HELPER uint32_t spoor_scope_counter_type(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash | 0x80000000u;
}

SPOOR_SCOPE_HELPER void spoor_scope_count(struct spoor_scope_place *place, uint64_t value)
{
	uint64_t type = __atomic_load_n(&place->id, __ATOMIC_RELAXED);

	if (!type) {
		if (!spoor_scope_ask(place))
			return;
		type = spoor_scope_counter_type(place->name);
		if (spoor_name_event_type((uint32_t)type, place->name, 0) == 0)
			__atomic_store_n(&place->id, type, __ATOMIC_RELAXED);
	}
	spoor_log_event((uint32_t)type, value, 0);
	SPOOR_SCOPE_NO_TAIL();
}

#ifdef __cplusplus
}
#endif

#define SPOOR_SCOPE_JOIN_OF(a, b) a##b
#define SPOOR_SCOPE_JOIN(a, b) SPOOR_SCOPE_JOIN_OF(a, b)
#define SPOOR_SCOPE_PLACE(name, variable) \
	__attribute__((unused)) static struct spoor_scope_place variable = { "" name, 0, "?" }

#define SPOOR_SCOPE(name) SPOOR_SCOPE_AT(name, SPOOR_SCOPE_JOIN(spoor_scope_, __COUNTER__))
#define SPOOR_SCOPE_AT(name, variable)                                                          \
	SPOOR_SCOPE_PLACE(name, SPOOR_SCOPE_JOIN(variable, _place));                            \
	__attribute__((cleanup(spoor_scope_end), unused)) const uint64_t variable =             \
		spoor_scope_logs(&SPOOR_SCOPE_JOIN(variable, _place)) ?                         \
			spoor_scope_begin(&SPOOR_SCOPE_JOIN(variable, _place)) : 0

#define SPOOR_SCOPE_BEGIN(name)                                                                 \
	do {                                                                                    \
		SPOOR_SCOPE_PLACE(name, spoor_scope_place);                                     \
		if (spoor_scope_logs(&spoor_scope_place))                                       \
			spoor_scope_begin(&spoor_scope_place);                                  \
	} while (0)
#define SPOOR_SCOPE_END(name)                                                                   \
	do {                                                                                    \
		SPOOR_SCOPE_PLACE(name, spoor_scope_place);                                     \
		if (spoor_scope_logs(&spoor_scope_place))                                       \
			spoor_scope_leave(&spoor_scope_place);                                  \
	} while (0)

/* Stores a user event with the type @name. @value: an integer, the payload */
#define SPOOR_COUNTER(name, value)                                                              \
	do {                                                                                    \
		SPOOR_SCOPE_PLACE(name, spoor_scope_place);                                     \
		if (spoor_scope_logs(&spoor_scope_place))                                       \
			spoor_scope_count(&spoor_scope_place, (uint64_t)(value));               \
	} while (0)

#endif
