/* SPDX-License-Identifier: MIT */
/*
 * value_types.h - the source types of a function's parameters and result, independent of where they were read.
 *
 * All objects belong to an arena and stay valid until it is freed. A type never changes after it was made.
 */
#ifndef SPOOR_READER_VALUE_TYPES_H
#define SPOOR_READER_VALUE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum type_kind {
	TYPE_UNKNOWN,		/* only its size is known; 0: not even that */
	TYPE_BOOL,
	TYPE_CHARACTER,		/* of 1, 2 or 4 bytes: char, char16_t, char32_t, Rust's char */
	TYPE_SIGNED,
	TYPE_UNSIGNED,
	TYPE_REAL,
	TYPE_COMPLEX,
	TYPE_POINTER,		/* or a reference */
	TYPE_ENUM,
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_ARRAY,
	TYPE_VECTOR,
};

struct type_member {
	const char *name;	/* "": anonymous */
	const struct value_type *type;
	uint64_t offset;	/* in bytes */
	uint32_t bit, bit_size;	/* of a bit-field: its lowest bit, from the begin of the structure; size 0: none */
};

struct type_enumerator {
	const char *name;
	uint64_t value;		/* its sign is extended */
};

struct value_type {
	enum type_kind kind;
	bool is_signed;		/* of an enumeration */
	bool is_extended;	/* real numbers of 80 bits, as of x87 */
	bool by_reference;	/* a class that is always passed by its address */
	uint64_t size;		/* in bytes */
	uint32_t count;		/* number of members, enumerators or elements */
	const struct value_type *element;
	const struct type_member *members;
	const struct type_enumerator *enumerators;
};

/* The place of a parameter at the function's entry. */
#define PARAMETER_PLACE_UNKNOWN (-1)
#define PARAMETER_PLACE_FRAME (-2)	/* in memory of the function's frame */

struct parameter_type {
	const char *name;	/* "": none */
	const struct value_type *type;
	int place;		/* DWARF's number of a register, or PARAMETER_PLACE_... */
};

enum type_machine { TYPE_MACHINE_OTHER, TYPE_MACHINE_X86_64, TYPE_MACHINE_AARCH64 };

struct function_types {
	uint32_t count;
	const struct parameter_type *parameters;
	const struct value_type *result;	/* null: none */
	enum type_machine machine;
	bool is_rust;
	bool is_gcc;		/* GCC's plugin describes each parameter as one argument */
	/* The optimiser may have removed or split parameters, so that their places must confirm their order. */
	bool may_differ;
	bool differs;		/* it has */
};

struct type_arena {
	struct arena_chunk *chunks;
	size_t left;
};

/* Returns zeroed memory; null if memory runs out. */
void *type_arena_get(struct type_arena *arena, size_t bytes);
const char *type_arena_copy(struct type_arena *arena, const char *text);
void type_arena_free(struct type_arena *arena);

#endif
