/* SPDX-License-Identifier: MIT */
/*
 * passing.h - how compilers pass a parameter of a source type: as which arguments and parts of arguments (see
 * format/signature_format.h).
 *
 * For C and C++ these are clang's rules, which make several arguments of a structure in registers. Rust's rules
 * are known for one or two scalars only.
 */
#ifndef SPOOR_READER_PASSING_H
#define SPOOR_READER_PASSING_H

#include "reader/types/value_types.h"

#define PASSED_PARTS_MAX 8u

enum passed_class {
	PASSED_GENERAL,
	PASSED_VECTOR,
	PASSED_MEMORY,		/* a copy on the stack */
	PASSED_STACK_WORD,	/* a structure of at most a word on the stack, as a copy or as a number */
	PASSED_ADDRESS,		/* the address of a copy */
};

struct passed_part {
	uint32_t argument;	/* from 0 */
	uint32_t part;		/* of that argument, from 1; 0: the argument has no parts */
	enum passed_class class;
	uint32_t offset, size;	/* the part of the parameter, in bytes */
};

struct passing {
	bool is_known;
	bool is_structure;	/* a register may have more bytes than a part, */
	bool is_padded;		/* ... or less: the rest is padding */
	uint32_t argument_count, part_count;
	struct passed_part parts[PASSED_PARTS_MAX];
};

/* The registers that the parameters so far have used. */
struct passing_registers {
	uint32_t general, vectors;
};

void passing_of_parameter(const struct function_types *function, const struct value_type *type,
			  struct passing_registers *used, struct passing *passing);

/* The parts of a result are those of argument 0. PASSED_ADDRESS: it is in memory whose address is the first
 * argument, and takes a register. */
void passing_of_result(const struct function_types *function, const struct value_type *type, struct passing *passing);

#endif
