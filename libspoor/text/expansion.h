/* SPDX-License-Identifier: MIT */
/* expansion.h - "~" and "$VARIABLE" in the paths of a configuration. */
#ifndef SPOOR_EXPANSION_H
#define SPOOR_EXPANSION_H

#include <stddef.h>

/*
 * spoor_expand - writes @text with "~" at its front, "$NAME" and "${NAME}" replaced.
 * @fault: where the words for what is wrong are returned; static
 *
 * "$$" is a dollar sign. "~" stands for $HOME, alone or before a '/'.
 *
 * Return: 0, or -EINVAL: a variable is not set or has no name, another user's
 * home is asked for, or the whole is longer than @size - 1.
 *
 * Context: reads the environment.
 */
int spoor_expand(const char *text, char *path, size_t size, const char **fault);

#endif
