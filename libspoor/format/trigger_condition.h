/* SPDX-License-Identifier: MIT */
/*
 * trigger_condition.h - a trigger's condition on values, in the header of a pool, and where the captures have these values.
 *
 * The traced process writes it, and the drainer evaluates it. A condition compares captured numbers with whole numbers.
 */
#ifndef SPOOR_TRIGGER_CONDITION_H
#define SPOOR_TRIGGER_CONDITION_H

#include <stdbool.h>

#include "format/mailbox.h"

#define SPOOR_TRIGGER_NODES_MAX 32u	/* a bit each in a set of comparisons */
#define SPOOR_TRIGGER_NAMES_MAX 8u
#define SPOOR_TRIGGER_NAME_BYTES 48u
#define SPOOR_TRIGGER_BINDINGS_MAX 110u

/* A comparison, or a combination of earlier nodes. */
struct spoor_trigger_node {
	uint8_t operator;		/* enum spoor_condition_operator, without texts */
	uint8_t left, right;
	uint8_t name;			/* position in `names` */
	uint32_t padding;
	int64_t number;
};

/* The places of the values that the condition names, in the records of a capture. */
struct spoor_trigger_binding {
	uint16_t head;			/* as in struct spoor_value_layout */
	uint8_t field[SPOOR_TRIGGER_NAMES_MAX];	/* by name: position in the layout, from 1; 0: not in the record */
	uint8_t is_unsigned;		/* a bit for each name */
};

struct spoor_trigger_condition {
	uint32_t node_count;		/* 0: the trigger has no condition */
	uint32_t root;
	uint32_t uses_result;
	uint32_t name_count;
	uint32_t binding_count;		/* grows when functions are captured; stored after the binding */
	uint32_t padding;
	char names[SPOOR_TRIGGER_NAMES_MAX][SPOOR_TRIGGER_NAME_BYTES];
	struct spoor_trigger_node nodes[SPOOR_TRIGGER_NODES_MAX];
	struct spoor_trigger_binding bindings[SPOOR_TRIGGER_BINDINGS_MAX];
};

_Static_assert(SPOOR_POOL_MAILBOX_OFFSET + sizeof(struct spoor_mailbox) <= SPOOR_POOL_CONDITION_OFFSET, "must fit");
_Static_assert(SPOOR_POOL_CONDITION_OFFSET + sizeof(struct spoor_trigger_condition) <= SPOOR_POOL_TRIGGER_OFFSET, "must fit");

static inline struct spoor_trigger_condition *spoor_pool_condition(struct spoor_pool *pool)
{
	return (struct spoor_trigger_condition *)((char *)pool + SPOOR_POOL_CONDITION_OFFSET);
}

#endif
