/* SPDX-License-Identifier: MIT */
/* perfetto_packet.h - writes packets of Perfetto's format in place, and defines their numbers. */
#ifndef SPOOR_TOOLS_PERFETTO_PACKET_H
#define SPOOR_TOOLS_PERFETTO_PACKET_H

#include "export/export.h"

/* Longer strings are cut between two UTF-8 characters. */
#define PACKET_STRING_MAX 7000

static inline uint8_t *put_varint(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

static inline uint8_t *put_number(uint8_t *at, uint32_t field, uint64_t value)
{
	return put_varint(put_varint(at, field << 3), value);
}

static inline uint8_t *put_fixed64(uint8_t *at, uint32_t field, uint64_t value)
{
	at = put_varint(at, field << 3 | 1);
	for (int i = 0; i < 8; i++)
		*at++ = (uint8_t)(value >> 8 * i);
	return at;
}

static inline uint8_t *put_string(uint8_t *at, uint32_t field, const char *string)
{
	size_t length = strlen(string);

	if (length > PACKET_STRING_MAX)
		for (length = PACKET_STRING_MAX; length && ((uint8_t)string[length] & 0xc0) == 0x80; length--)
			;
	at = put_varint(put_varint(at, field << 3 | 2), length);
	memcpy(at, string, length);
	return at + length;
}

/* Begins a message and leaves two bytes for its length, which must be below 2^14. end_message fills them in. */
static inline uint8_t *begin_message(uint8_t *at, uint32_t field)
{
	return put_varint(at, field << 3 | 2) + 2;
}

/* @body: the value that begin_message returned */
static inline uint8_t *end_message(uint8_t *body, uint8_t *at)
{
	size_t length = (size_t)(at - body);

	body[-2] = (uint8_t)(length | 0x80);
	body[-1] = (uint8_t)(length >> 7);
	return at;
}

/* Begins a packet, with room for two strings. Returns its body. */
static inline uint8_t *begin_packet(struct export *export)
{
	return begin_message((uint8_t *)output_room(&export->out, 2 * PACKET_STRING_MAX + 256), 1);
}

static inline void end_packet(struct export *export, uint8_t *body, uint8_t *at)
{
	export->out.used = (size_t)((char *)end_message(body, at) - export->out.buffer);
}

/* Flags of packets: whether they start a new state of the sequence, or need its state. */
enum sequence_flags { STATE_CLEARED = 1, NEEDS_STATE = 2 };

/* Clocks. The last one exists in each sequence; its times are differences. */
#define CLOCK_REALTIME_ID 1
#define CLOCK_MONOTONIC_ID 3
#define CLOCK_OWN_ID 64

/* Numbers of tracks. */
static inline uint64_t process_uuid(const struct export *export)
{
	return (uint64_t)export->process_count << 32;
}

static inline uint64_t thread_uuid(const struct export *export)
{
	return process_uuid(export) | export->thread_count;
}

/* The tracks of a thread's lost events, and of the process's counters. */
static inline uint64_t losses_uuid(const struct export *export)
{
	return thread_uuid(export) | 1u << 31;
}

static inline uint64_t counter_uuid(const struct export *export, size_t type)
{
	return process_uuid(export) | 1u << 30 | type;
}

/* Begin and end the parts of a walk. */
int perfetto_process_begin(void *context, struct process *process, struct functions *functions);
int perfetto_process_end(void *context);
int perfetto_thread_begin(void *context, const struct thread_slices *thread);

void perfetto_counter_track(struct export *export, uint64_t uuid, uint64_t parent_uuid, const char *name);

#endif
