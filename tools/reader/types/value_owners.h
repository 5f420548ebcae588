/* SPDX-License-Identifier: MIT */
/*
 * value_owners.h - finds the source parameter to which each value of a capture belongs.
 *
 * A parameter can be passed as several arguments, and the optimiser can remove parameters. A value has an owner only if
 * the types agree, and if no place in the debug information contradicts.
 */
#ifndef SPOOR_READER_VALUE_OWNERS_H
#define SPOOR_READER_VALUE_OWNERS_H

#include "format/values_format.h"
#include "reader/types/value_types.h"

#define VALUE_NO_OWNER 255u
#define VALUE_OWNER_RESULT 254u

struct value_owner {
	uint8_t parameter;	/* from 0; or VALUE_NO_OWNER, VALUE_OWNER_RESULT */
	uint8_t parts;		/* number of values that the owner has */
	uint16_t offset;	/* of the value in the parameter, in bytes */
	uint16_t size;		/* valid bytes of the value; 0: it is the address of the parameter */
};

/* @owners: out: by the position of the value */
void value_owners_find(const struct function_types *function, const struct spoor_capture_value *values, uint32_t count,
		       struct value_owner owners[SPOOR_CAPTURE_VALUES_MAX]);

#endif
