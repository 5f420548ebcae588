/* SPDX-License-Identifier: MIT */
/* subject.h - a function as rules see it. */
#ifndef SPOOR_PASS_SUBJECT_H
#define SPOOR_PASS_SUBJECT_H

#include "pass/description.h"
#include "text/filters.h"

struct subject {
	struct filter_subject filter;
	struct description *description;
	const char *module;
	char *path;
	int loops;	/* -1: not looked for yet */
};

/*
 * subject_make - of a function that is described.
 * @module: what the unit is called
 *
 * It must not be moved. Free it.
 */
void subject_make(struct subject *subject, struct description *description, const char *module);
void subject_free(struct subject *subject);

#endif
