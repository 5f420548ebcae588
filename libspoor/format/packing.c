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

/* What a word is predicted from. A local variable of both sides, so that it is in registers: bytes that are written may
 * be any variable that has an address. */
struct model {
	struct spoor_packing *tables;
	uint32_t time, depth, *successor;
};

static inline uint32_t *successor_of(struct spoor_packing *tables, uint32_t code)
{
	return &tables->successors[(code * 2654435761u) >> 21];
}

static inline struct model model_begin(struct spoor_packing *tables, uint32_t time)
{
	memset(tables, 0, sizeof(*tables));
	return (struct model){ tables, time, 0, successor_of(tables, 0) };
}

/* The code of the innermost open function's entry; 0 if it is unknown. */
static inline uint32_t model_top(struct model model)
{
	return model.tables->stack[(model.depth - 1) % SPOOR_PACKING_DEPTH];
}

/* Returns the model after a word with this time and @code. */
static inline struct model model_add(struct model model, uint32_t time, uint32_t code)
{
	uint32_t kind = code >> SPOOR_INDEX_BITS;

	model.time = time;
	/* Frames differ each time and belong to no function, so they predict nothing. */
	if (kind >= SPOOR_EVENT_FRAME && kind <= SPOOR_EVENT_SWITCH)
		return model;
	if (kind == SPOOR_EVENT_ENTRY) {
		*model.successor = code;
		model.tables->stack[model.depth++ % SPOOR_PACKING_DEPTH] = code;
	} else if (kind == SPOOR_EVENT_EXIT || kind == SPOOR_EVENT_TAIL_EXIT) {
		model.tables->stack[--model.depth % SPOOR_PACKING_DEPTH] = 0;
	}
	model.successor = successor_of(model.tables, code);
	return model;
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

/* The record of values that the next event has. */
struct pending_values {
	const uint64_t *words;		/* null: none */
	uint32_t count;			/* of these */
	size_t bytes;			/* nonzero: its packing, which follows the event */
	struct spoor_value_layout layout;	/* else the record was stored as it is, with this layout */
	uint8_t packed[(SPOOR_VALUES_WORDS_MAX + 1) * SPOOR_PACKED_WORD_MAX];
};

static bool is_values(const uint64_t *word, size_t left)
{
	uint32_t count = (uint32_t)(*word >> 32) & SPOOR_INDEX_MAX;

	return *word >> (32 + SPOOR_INDEX_BITS) == SPOOR_EVENT_EXTENDED && (uint32_t)*word == SPOOR_EXTENDED_VALUES && count &&
	       count <= SPOOR_VALUES_WORDS_MAX && left > 1 + count;
}

static bool has_values(uint32_t kind)
{
	return kind == SPOOR_EVENT_ENTRY || kind == SPOOR_EVENT_EXIT;
}

/* Packs the record at @word, if its event's function is known. Returns whether it has. */
static bool pack_record(const uint64_t *word, struct pending_values *pending, struct spoor_value_model *values,
			struct spoor_layout_index *layouts)
{
	/* After another record, the unpacker would take that one for the event's. */
	bool may_be_packed = !pending->words;
	struct spoor_packed_function *function;
	uint32_t code;

	pending->words = word + 1;
	pending->count = (uint32_t)(*word >> 32) & SPOOR_INDEX_MAX;
	code = (uint32_t)(word[1 + pending->count] >> 32);
	may_be_packed &= has_values(code >> SPOOR_INDEX_BITS);
	function = may_be_packed ? spoor_value_model_find(values, code) : NULL;
	pending->bytes = 0;
	if (function)
		pending->bytes = spoor_values_pack(function, pending->words, pending->count, pending->packed,
						   (pending->count + 1) * SPOOR_PACKED_WORD_MAX);
	if (pending->bytes)
		return true;
	spoor_layout_index_find(layouts, (uint16_t)pending->words[0], &pending->layout);
	/* The layout must fit too. */
	if (pending->layout.count > 8 * pending->count)
		pending->layout.count = 0;
	return false;
}

/* Ends an event. Returns @out, after the event's values. */
static __attribute__((noinline)) uint8_t *put_values(uint32_t code, struct pending_values *pending,
						     struct spoor_value_model *values, uint8_t *out)
{
	if (has_values(code >> SPOOR_INDEX_BITS)) {
		if (pending->words && pending->bytes) {
			memcpy(out, pending->packed, pending->bytes);
			out += pending->bytes;
		} else if (pending->words) {
			spoor_value_model_learn(values, code, &pending->layout, pending->words, pending->count);
		} else if (spoor_value_model_find(values, code)) {
			*out++ = SPOOR_PACKED_NO_VALUES;
		}
	}
	pending->words = NULL;
	return out;
}

static uint8_t *put_layout(const struct spoor_value_layout *layout, uint8_t *out)
{
	*out++ = layout->count;
	memcpy(out, layout->fields, layout->count);
	return out + layout->count;
}

static inline __attribute__((always_inline)) uint8_t *put_word(uint32_t delta, uint32_t op, uint8_t *out)
{
	if (delta < DELTA_BYTE) {
		*out++ = (uint8_t)(delta << 2 | op);
	} else if (delta < DELTA_BYTE_END) {
		*out++ = (uint8_t)((((delta - DELTA_BYTE) >> 8) + DELTA_BYTE) << 2 | op);
		*out++ = (uint8_t)(delta - DELTA_BYTE);
	} else {
		*out++ = (uint8_t)(DELTA_LEB << 2 | op);
		out = leb_put(out, delta);
	}
	return out;
}

static inline uint32_t choose_op(struct model model, uint32_t code)
{
	uint32_t kind = code >> SPOOR_INDEX_BITS;

	if (kind == SPOOR_EVENT_ENTRY)
		return code == *model.successor ? OP_ENTRY : OP_EXPLICIT;
	if (model_top(model) != SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, code & SPOOR_INDEX_MAX))
		return OP_EXPLICIT;
	return kind == SPOOR_EVENT_EXIT ? OP_EXIT : kind == SPOOR_EVENT_TAIL_EXIT ? OP_TAIL : OP_EXPLICIT;
}

struct packer {
	const uint64_t *end;	/* of the words */
	struct spoor_function_set *seen;
	struct spoor_value_model *values;
	struct spoor_layout_index *layouts;
	bool has_records;	/* the block has records of values */
	struct pending_values pending;
};

/* Packs the upper half of a word that is not predicted. */
static __attribute__((noinline)) uint8_t *put_code(const struct packer *packer, const uint64_t *word, uint8_t *out)
{
	uint32_t code = (uint32_t)(*word >> 32);

	if (packer->seen)
		note_function(packer->seen, word, (size_t)(packer->end - word));
	return leb_put(out, (uint64_t)(code & SPOOR_INDEX_MAX) << 3 | code >> SPOOR_INDEX_BITS);
}

/* Packs an extended word and those that belong to it. Its low half is its type, not a time. */
static __attribute__((noinline)) uint8_t *put_extended(struct packer *packer, const uint64_t *word, uint32_t delta,
						       uint8_t *out)
{
	size_t left = (size_t)(packer->end - word), more = *word >> 32 & SPOOR_INDEX_MAX;
	bool of_values = packer->values && is_values(word, left);

	packer->has_records |= of_values;
	if (of_values && pack_record(word, &packer->pending, packer->values, packer->layouts))
		return out;
	out = put_code(packer, word, put_word(delta, OP_EXPLICIT, out));
	more = more < left ? more : left - 1;
	memcpy(out, word + 1, more * sizeof(*word));
	out += more * sizeof(*word);
	if (of_values)
		return put_layout(&packer->pending.layout, out);
	packer->pending.words = NULL;
	return out;
}

size_t spoor_pack(const uint64_t *words, size_t count, uint32_t counter, uint8_t *bytes,
		  struct spoor_packing *tables, struct spoor_function_set *seen, struct spoor_value_model *values,
		  struct spoor_layout_index *layouts)
{
	struct model model = model_begin(tables, counter);
	const uint64_t *end = words + count;
	struct packer packer;
	uint8_t *out = bytes;

	packer.end = end;
	packer.seen = seen;
	packer.values = values;
	packer.layouts = layouts;
	packer.has_records = false;
	packer.pending.words = NULL;
	if (values)
		spoor_value_model_begin(values);
	for (const uint64_t *word = words; word < end; word++) {
		uint32_t code = (uint32_t)(*word >> 32), time = (uint32_t)*word;
		uint32_t op = choose_op(model, code);

		if (__builtin_expect(code >> SPOOR_INDEX_BITS == SPOOR_EVENT_EXTENDED, false)) {
			out = put_extended(&packer, word, time - model.time, out);
			if (end - word <= (code & SPOOR_INDEX_MAX))
				break;
			word += code & SPOOR_INDEX_MAX;
			continue;
		}
		out = put_word(time - model.time, op, out);
		if (__builtin_expect(op == OP_EXPLICIT, false))
			out = put_code(&packer, word, out);
		model = model_add(model, time, code);
		if (__builtin_expect(packer.has_records, false))
			out = put_values(code, &packer.pending, values, out);
	}
	return (size_t)(out - bytes);
}

/* Functions that take bytes return the place after them, or null if the bytes are no packing; take_values has two
 * results. */
static __attribute__((noinline)) const uint8_t *leb_get(const uint8_t *in, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 35 && in < end; shift += 7) {
		uint8_t byte = *in++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return *value <= UINT32_MAX ? in : NULL;
	}
	return NULL;
}

/* Takes the layout after a record of values that is stored as it is. */
static const uint8_t *take_layout(const uint8_t *in, const uint8_t *end, const uint64_t *word, struct pending_values *pending)
{
	if (in == end || *in > SPOOR_LAYOUT_FIELDS_MAX || end - in - 1 < *in)
		return NULL;
	pending->words = word + 1;
	pending->count = (uint32_t)(*word >> 32) & SPOOR_INDEX_MAX;
	pending->layout.count = *in++;
	memcpy(pending->layout.fields, in, pending->layout.count);
	for (uint32_t i = 0; i < pending->layout.count; i++)
		if (!pending->layout.fields[i] || pending->layout.fields[i] > SPOOR_FIELD_TEXT)
			return NULL;
	return in + pending->layout.count;
}

/* Unpacks the record of an event, and puts it before the event at @word. @left: number of words from this one on
 * Returns the number of words before the event, or -EBADMSG. */
static __attribute__((noinline)) int take_values(uint64_t *word, size_t left, const uint8_t **in, const uint8_t *end,
						 struct pending_values *pending, struct spoor_value_model *values)
{
	uint32_t code = (uint32_t)(*word >> 32);
	struct spoor_packed_function *function;
	uint64_t record[SPOOR_VALUES_WORDS_MAX];
	int count = 0;

	if (pending->words && has_values(code >> SPOOR_INDEX_BITS)) {
		spoor_value_model_learn(values, code, &pending->layout, pending->words, pending->count);
	} else if (has_values(code >> SPOOR_INDEX_BITS)) {
		function = spoor_value_model_find(values, code);
		count = function ? spoor_values_unpack(function, in, end, record) : 0;
	}
	pending->words = NULL;
	if (count <= 0)
		return count;
	if ((size_t)count + 1 >= left)
		return -EBADMSG;
	word[count + 1] = *word;
	*word = SPOOR_EVENT_WORD(SPOOR_EVENT_EXTENDED, count, SPOOR_EXTENDED_VALUES);
	memcpy(word + 1, record, (size_t)count * sizeof(*word));
	return count + 1;
}

/* Takes the first bytes of a word. */
static inline const uint8_t *take_word(const uint8_t *in, const uint8_t *end, uint32_t *op, uint32_t *delta)
{
	uint64_t value;

	if (in == end)
		return NULL;
	*op = *in & 3;
	*delta = *in++ >> 2;
	if (*delta < DELTA_BYTE)
		return in;
	if (*delta == DELTA_LEB) {
		in = leb_get(in, end, &value);
		*delta = (uint32_t)value;
		return in;
	}
	if (in == end)
		return NULL;
	*delta = ((*delta - DELTA_BYTE) << 8) + *in++ + DELTA_BYTE;
	return in;
}

/* Takes the upper half of a word. */
static inline const uint8_t *take_code(const uint8_t *in, const uint8_t *end, struct model model, uint32_t op, uint32_t *code)
{
	uint64_t value;

	if (op == OP_ENTRY) {
		*code = *model.successor;
	} else if (op == OP_EXPLICIT) {
		in = leb_get(in, end, &value);
		*code = SPOOR_EVENT_CODE(value & 7, value >> 3);
	} else {
		*code = SPOOR_EVENT_CODE(op == OP_EXIT ? SPOOR_EVENT_EXIT : SPOOR_EVENT_TAIL_EXIT, model_top(model) & SPOOR_INDEX_MAX);
	}
	return in;
}

/* Takes the words that belong to the extended word at @word, and its layout. @left: number of words from this one on */
static __attribute__((noinline)) const uint8_t *take_extended(const uint8_t *in, const uint8_t *end, uint64_t *word,
							      size_t left, struct pending_values *pending,
							      struct spoor_value_model *values, bool *has_layouts)
{
	size_t more = *word >> 32 & SPOOR_INDEX_MAX;

	more = more < left ? more : left - 1;
	if ((size_t)(end - in) < more * sizeof(*word))
		return NULL;
	memcpy(word + 1, in, more * sizeof(*word));
	in += more * sizeof(*word);
	pending->words = NULL;
	if (!values || !is_values(word, left))
		return in;
	*has_layouts = true;
	return take_layout(in, end, word, pending);
}

int spoor_unpack(const uint8_t *bytes, size_t size, uint32_t counter, uint64_t *words, size_t count,
		 struct spoor_value_model *values)
{
	const uint8_t *in = bytes, *end = bytes + size;
	struct pending_values pending;
	struct spoor_packing tables;
	struct model model = model_begin(&tables, counter);
	bool has_layouts = false;

	pending.words = NULL;
	if (values)
		spoor_value_model_begin(values);
	for (size_t i = 0; i < count; i++) {
		uint32_t op, code, delta;

		in = take_word(in, end, &op, &delta);
		if (in)
			in = take_code(in, end, model, op, &code);
		if (!in)
			return -EBADMSG;
		delta += model.time;
		words[i] = (uint64_t)code << 32 | delta;
		if (__builtin_expect(code >> SPOOR_INDEX_BITS == SPOOR_EVENT_EXTENDED, false)) {
			in = take_extended(in, end, &words[i], count - i, &pending, values, &has_layouts);
			if (!in)
				return -EBADMSG;
			i += code & SPOOR_INDEX_MAX;
			continue;
		}
		model = model_add(model, delta, code);
		if (__builtin_expect(has_layouts, false)) {
			const uint8_t *after = in;
			int before = take_values(&words[i], count - i, &after, end, &pending, values);

			if (before < 0)
				return -EBADMSG;
			in = after;
			i += (size_t)before;
		}
	}
	return in == end ? 0 : -EBADMSG;
}
