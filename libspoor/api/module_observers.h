/* SPDX-License-Identifier: MIT */
/* module_observers.h - who is told of modules, in which order. */
#ifndef SPOOR_MODULE_OBSERVERS_H
#define SPOOR_MODULE_OBSERVERS_H

#include "module/observer.h"

extern const struct spoor_module_observer *const spoor_module_observers[];

#endif
