/* SPDX-License-Identifier: MIT */
/* handler_slots.h - points the slots of all modules at the trampolines of a handler. */
#ifndef SPOOR_HANDLER_SLOTS_H
#define SPOOR_HANDLER_SLOTS_H

#include "spoor.h"

#define SPOOR_HANDLER_FLAGS (SPOOR_HANDLER_GENERAL_REGISTERS_ONLY | SPOOR_HANDLER_SAVES_REGISTERS)

/* A handler of every class that does nothing; it is written in assembly. */
spoor_handler spoor_no_event;

/* spoor_set_handler without its checks. Null restores the trampolines of the mode. Under the registry's lock. */
void spoor_handler_install(spoor_handler *handler, unsigned int flags);

#endif
