/* SPDX-License-Identifier: MIT */
/* rules.h - the choices so far, in order. Under the registry's lock, all of it. */
#ifndef SPOOR_RULES_H
#define SPOOR_RULES_H

#include "module/registry.h"

/* A choice of the configuration's or of a call of the interface's. */
struct spoor_rule {
	enum spoor_choice choice;
	const char *modules, *functions;
};

/*
 * spoor_rules_add - remembers a choice for modules to come; a repeated one moves
 * to the end, one of all functions takes the place of all.
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int spoor_rules_add(const struct spoor_rule *rule);

/* There are none, until they are taken back. */
void spoor_rules_set_aside(void);
void spoor_rules_take_back(void);

/*
 * spoor_rule_follow - notes in the wanted bits of the module, which has an index, what the rule says.
 * Return: functions it names, or a negative errno.
 */
long spoor_rule_follow(const struct spoor_rule *rule, struct spoor_instance *instance);

/* Whether any of the rules so far wakes something of a module that has just come. */
bool spoor_rules_concern(const struct spoor_instance *instance);

/* Follows all of them. */
void spoor_rules_follow(struct spoor_instance *instance);

#endif
