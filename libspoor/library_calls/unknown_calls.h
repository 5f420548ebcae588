/* SPDX-License-Identifier: MIT */
/* unknown_calls.h - names the functions of chosen libraries that the shipped tables do not know. */
#ifndef SPOOR_UNKNOWN_CALLS_H
#define SPOOR_UNKNOWN_CALLS_H

/* Notes a function. @path: the library's file; @name: null if no table knows the library. Under the registry's lock. */
void spoor_unknown_call_add(const char *path, const char *name);

/* Prints one message for each library with such functions. Under the registry's lock. */
void spoor_unknown_calls_warn(void);

#endif
