/* SPDX-License-Identifier: MIT */
/* elided.h - shortens a name that is too long for its place in a terminal. */
#ifndef SPOOR_TOOLS_BASE_ELIDED_H
#define SPOOR_TOOLS_BASE_ELIDED_H

#include <stddef.h>
#include <stdint.h>

/* The largest room in bytes. */
#define ELIDED_MAX 1024u

/*
 * elide - copies @name, without its least telling parts if it has more than @room bytes.
 * @room: at least 8; more than ELIDED_MAX counts as ELIDED_MAX
 * @number: appears in the gap, "..2..", to tell names apart that look alike otherwise; 0: none
 * @out: room for ELIDED_MAX + 1 bytes
 *
 * Template arguments go first, the longest ones before the others: "std::map<..>::at". Then the middle
 * goes. Two thirds of the room belong to the end, because names of C++ differ there. UTF-8 characters
 * stay whole.
 */
void elide(const char *name, size_t room, uint32_t number, char *out);

#endif
