/* SPDX-License-Identifier: MIT */
/* rules.h - the choices so far, in order. All functions run under the registry's lock. */
#ifndef SPOOR_RULES_H
#define SPOOR_RULES_H

#include "module/registry.h"

/* A choice, from the configuration or from a call of the interface. */
struct spoor_rule {
	enum spoor_choice choice;
	const char *modules, *functions;
};

/*
 * spoor_rules_add - stores a choice for modules that are loaded later. A repeated choice
 * moves to the end; a choice of all functions in all modules replaces all earlier ones.
 *
 * Returns 0, -ENOSPC or -ENOMEM.
 */
int spoor_rules_add(const struct spoor_rule *rule);

/* Remove all rules, and restore them. */
void spoor_rules_save(void);
void spoor_rules_take_back(void);

/*
 * spoor_rule_follow - applies a rule to the wanted bits of the module, which has an index.
 * Returns the number of functions that the rule names, or a negative errno.
 */
long spoor_rule_follow(const struct spoor_rule *rule, struct spoor_instance *instance);

/* Tells if a rule chooses the module, or functions of a library by patterns of the library's own. */
bool spoor_rule_concerns(const struct spoor_rule *rule, const struct spoor_instance *instance);

/* Tells if any rule so far wakes functions of a new module. */
bool spoor_rules_concern(const struct spoor_instance *instance);

/* Applies all rules to the wanted bits of the module. */
void spoor_rules_follow(struct spoor_instance *instance);

#endif
