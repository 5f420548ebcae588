/* SPDX-License-Identifier: MIT */
/* expansion.h - expands "~" and "$VARIABLE" in the paths of a configuration. */
#ifndef SPOOR_EXPANSION_H
#define SPOOR_EXPANSION_H

#include <stddef.h>

/*
 * spoor_expand - copies @text and replaces a leading "~", "$NAME" and "${NAME}".
 * @size:  of @path in bytes
 * @fault: out: describes an error, as a noun phrase; static
 *
 * "$$" becomes a dollar sign. "~", alone or before a '/', becomes $HOME.
 *
 * Return: 0, or -EINVAL: a variable is not set or has no name, "~" names another user's home, or the
 * result is longer than @size - 1.
 *
 * Context: reads the environment.
 */
int spoor_expand(const char *text, char *path, size_t size, const char **fault);

#endif
