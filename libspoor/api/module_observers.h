/* SPDX-License-Identifier: MIT */
/* module_observers.h - the features that follow modules, in the order in which they are called. */
#ifndef SPOOR_MODULE_OBSERVERS_H
#define SPOOR_MODULE_OBSERVERS_H

#include "module/observer.h"

extern const struct spoor_module_observer *const spoor_module_observers[];

#endif
