/* SPDX-License-Identifier: MIT */
/* interface.h - what the files have in common that define spoor.h's functions. */
#ifndef SPOOR_INTERFACE_H
#define SPOOR_INTERFACE_H

#include "spoor.h"

#define EXPORT __attribute__((visibility("default")))

/* Goes back to the handler that the program set last, or that the configuration has. Under the
 * registry's lock. Return: 0, -ENOENT for none, -EBUSY in mode "order". */
int spoor_handler_resume(void);

#endif
