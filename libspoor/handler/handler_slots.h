/* SPDX-License-Identifier: MIT */
/* handler_slots.h - points all slots at the trampolines of a handler. */
#ifndef SPOOR_HANDLER_SLOTS_H
#define SPOOR_HANDLER_SLOTS_H

#include "spoor.h"

#define SPOOR_HANDLER_FLAGS (SPOOR_HANDLER_GENERAL_REGISTERS_ONLY | SPOOR_HANDLER_SAVES_REGISTERS)

/* A handler of any class that does nothing: a trampoline. */
spoor_handler spoor_no_event;

/* spoor_set_handler without its checks; null: back to what the mode has. Under the registry's lock. */
void spoor_handler_install(spoor_handler *handler, unsigned int flags);

#endif
