/* SPDX-License-Identifier: MIT */
/*
 * packing.c - packs event words into bytes and unpacks them. packing.h describes the format.
 *
 * Packing a word takes about 4 ns.
 */
#include "format/packing.h"

#include <errno.h>
#include <string.h>

#include "format/trace_format.h"

enum packed_op { OP_EXIT, OP_ENTRY, OP_EXPLICIT, OP_TAIL };

#define DELTA_BYTE 40u		/* codes from here on take a second byte */
#define DELTA_LEB 63u
#define DELTA_BYTE_END (((DELTA_LEB - DELTA_BYTE) << 8) + DELTA_BYTE)

static inline uint32_t *successor_of(struct spoor_packing *model, uint32_t code)
{
	return &model->successors[(code * 2654435761u) >> 21];
}

static void model_begin(struct spoor_packing *model, uint32_t time)
{
	memset(model, 0, sizeof(*model));
	model->time = time;
	model->successor = successor_of(model, 0);
}

/* The code of the innermost open function's entry; 0 if it is unknown. */
static inline uint32_t model_top(const struct spoor_packing *model)
{
	return model->stack[(model->depth - 1) % SPOOR_PACKING_DEPTH];
}

static inline void model_add(struct spoor_packing *model, uint32_t code)
{
	uint32_t kind = code >> SPOOR_INDEX_BITS;

	/* Frames differ each time and belong to no function, so they predict nothing. */
	if (kind >= SPOOR_EVENT_FRAME && kind <= SPOOR_EVENT_SWITCH)
		return;
	if (kind == SPOOR_EVENT_ENTRY) {
		*model->successor = code;
		model->stack[model->depth++ % SPOOR_PACKING_DEPTH] = code;
	} else if (kind == SPOOR_EVENT_EXIT || kind == SPOOR_EVENT_TAIL_EXIT) {
		model->stack[--model->depth % SPOOR_PACKING_DEPTH] = 0;
	}
	model->successor = successor_of(model, code);
}

static inline uint8_t *leb_put(uint8_t *out, uint64_t value)
{
	while (value >= 0x80) {
		*out++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*out++ = (uint8_t)value;
	return out;
}

/* Adds the function of a word that is not predicted. @left: number of words from this one on */
static void note_function(struct spoor_function_set *seen, const uint64_t *word, size_t left)
{
	uint32_t code = (uint32_t)(*word >> 32), type = (uint32_t)*word;

	if (code >> SPOOR_INDEX_BITS == SPOOR_EVENT_EXTENDED) {
		/* An injected call has its function's ID, which only a symbols file translates. */
		seen->has_all |= type == SPOOR_EXTENDED_USER && left > SPOOR_USER_WORDS &&
				 (uint32_t)(word[3] >> 16) <= SPOOR_EVENT_EXIT && (uint32_t)word[4] != SPOOR_USER_SCOPE;
		if (type != SPOOR_EXTENDED_TIMED_EVENT || left < 3)
			return;
		code = (uint32_t)word[2];
	}
	if (code >> SPOOR_INDEX_BITS <= SPOOR_EVENT_TAIL_EXIT)
		spoor_function_set_add(seen, code & SPOOR_INDEX_MAX);
}

size_t spoor_pack(const uint64_t *words, size_t count, uint32_t counter, uint8_t *bytes,
		  struct spoor_packing *model, struct spoor_function_set *seen)
{
	uint8_t *out = bytes;

	model_begin(model, counter);
	for (size_t i = 0; i < count; i++) {
		uint32_t code = (uint32_t)(words[i] >> 32);
		uint32_t kind = code >> SPOOR_INDEX_BITS;
		uint32_t index = code & SPOOR_INDEX_MAX;
		uint32_t delta = (uint32_t)words[i] - model->time;
		uint32_t top = model_top(model);
		uint32_t op = OP_EXPLICIT;

		if (top == SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, index)) {
			if (kind == SPOOR_EVENT_EXIT)
				op = OP_EXIT;
			else if (kind == SPOOR_EVENT_TAIL_EXIT)
				op = OP_TAIL;
		}
		if (kind == SPOOR_EVENT_ENTRY && code == *model->successor)
			op = OP_ENTRY;

		if (delta < DELTA_BYTE) {
			*out++ = (uint8_t)(delta << 2 | op);
		} else if (delta < DELTA_BYTE_END) {
			*out++ = (uint8_t)((((delta - DELTA_BYTE) >> 8) + DELTA_BYTE) << 2 | op);
			*out++ = (uint8_t)(delta - DELTA_BYTE);
		} else {
			*out++ = (uint8_t)(DELTA_LEB << 2 | op);
			out = leb_put(out, delta);
		}

		if (op != OP_EXPLICIT) {
			model->time += delta;
			model_add(model, code);
			continue;
		}
		out = leb_put(out, (uint64_t)index << 3 | kind);
		if (seen)
			note_function(seen, &words[i], count - i);
		if (kind != SPOOR_EVENT_EXTENDED) {
			model->time += delta;
			model_add(model, code);
			continue;
		}
		/* The low half of an extended word is its type, not a time. */
		for (uint32_t left = index; left && i + 1 < count; left--) {
			memcpy(out, &words[++i], 8);
			out += 8;
		}
	}
	return (size_t)(out - bytes);
}

static int leb_get(const uint8_t **in, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 35 && *in < end; shift += 7) {
		uint8_t byte = *(*in)++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return *value <= UINT32_MAX ? 0 : -EBADMSG;
	}
	return -EBADMSG;
}

int spoor_unpack(const uint8_t *bytes, size_t size, uint32_t counter, uint64_t *words, size_t count)
{
	struct spoor_packing model;
	const uint8_t *in = bytes, *end = bytes + size;

	model_begin(&model, counter);
	for (size_t i = 0; i < count; i++) {
		if (in == end)
			return -EBADMSG;
		uint32_t op = *in & 3;
		uint64_t delta = *in++ >> 2;
		uint32_t code;

		if (delta >= DELTA_BYTE && delta < DELTA_LEB) {
			if (in == end)
				return -EBADMSG;
			delta = ((delta - DELTA_BYTE) << 8) + *in++ + DELTA_BYTE;
		} else if (delta == DELTA_LEB && leb_get(&in, end, &delta)) {
			return -EBADMSG;
		}

		if (op == OP_ENTRY) {
			code = *model.successor;
		} else if (op == OP_EXPLICIT) {
			uint64_t value;

			if (leb_get(&in, end, &value))
				return -EBADMSG;
			code = SPOOR_EVENT_CODE(value & 7, value >> 3);
		} else {
			code = SPOOR_EVENT_CODE(op == OP_EXIT ? SPOOR_EVENT_EXIT : SPOOR_EVENT_TAIL_EXIT,
						model_top(&model) & SPOOR_INDEX_MAX);
		}

		uint32_t low = model.time + (uint32_t)delta;

		words[i] = (uint64_t)code << 32 | low;
		if (code >> SPOOR_INDEX_BITS != SPOOR_EVENT_EXTENDED) {
			model.time = low;
			model_add(&model, code);
			continue;
		}
		for (uint32_t left = code & SPOOR_INDEX_MAX; left && i + 1 < count; left--) {
			if (end - in < 8)
				return -EBADMSG;
			memcpy(&words[++i], in, 8);
			in += 8;
		}
	}
	return in == end ? 0 : -EBADMSG;
}
