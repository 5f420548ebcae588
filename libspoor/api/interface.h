/* SPDX-License-Identifier: MIT */
/* interface.h - shared by the files that define the functions of spoor.h. */
#ifndef SPOOR_INTERFACE_H
#define SPOOR_INTERFACE_H

#include "spoor.h"

#define EXPORT __attribute__((visibility("default")))

/* Reinstalls the handler that the program set last, or the configured one. Under the registry's lock. Returns 0,
 * -ENOENT if there is none, or -EBUSY in mode "order". */
int spoor_handler_resume(void);

#endif
