/* SPDX-License-Identifier: MIT */
/* subject.h - answers the questions of filter rules about a function. */
#ifndef SPOOR_PASS_SUBJECT_H
#define SPOOR_PASS_SUBJECT_H

#include "pass/description/description.h"
#include "text/filters.h"

struct subject {
	struct filter_subject filter;
	struct description *description;
	const char *module;
	char *path;
	int loops;	/* 1 or 0; -1: not determined yet */
};

/*
 * subject_make - prepares a function for rules.
 * @description: must stay valid as long as @subject
 * @module: the unit's name
 *
 * Do not move @subject. Free it.
 */
void subject_make(struct subject *subject, struct description *description, const char *module);
void subject_free(struct subject *subject);

#endif
