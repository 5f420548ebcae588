/* SPDX-License-Identifier: MIT */
/* chrome_events.h - writes the events of Chrome's format that are not calls. */
#ifndef SPOOR_TOOLS_CHROME_EVENTS_H
#define SPOOR_TOOLS_CHROME_EVENTS_H

#include "export/export.h"

/* Writes the begin of an event: its phase, process and thread. */
void chrome_event_begin(struct export *export, char phase);

/* The step `other` of a walk_sink, whose context is the struct export. */
void chrome_other(void *context, const struct event *event, size_t depth);

#endif
