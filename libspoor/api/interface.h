/* SPDX-License-Identifier: MIT */
/* interface.h - what the files have in common that define spoor.h's functions. */
#ifndef SPOOR_INTERFACE_H
#define SPOOR_INTERFACE_H

#include "spoor.h"

#define EXPORT __attribute__((visibility("default")))

#define SPOOR_HANDLER_FLAGS (SPOOR_HANDLER_GENERAL_REGISTERS_ONLY | SPOOR_HANDLER_SAVES_REGISTERS)

/* A handler of any class that does nothing. */
spoor_handler spoor_no_event;

/* spoor_set_handler without its checks. Under the registry's lock. */
void spoor_handler_install(spoor_handler *handler, unsigned int flags);

/* Goes back to the handler that the program set last, or that the configuration has. Under the
 * registry's lock. Return: 0, -ENOENT for none, -EBUSY in mode "order". */
int spoor_handler_resume(void);

#endif
