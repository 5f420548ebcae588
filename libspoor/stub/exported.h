/* SPDX-License-Identifier: MIT */
/* exported.h - marks the functions that the stub library exports. */
#ifndef SPOOR_STUB_EXPORTED_H
#define SPOOR_STUB_EXPORTED_H

#include "spoor.h"

#define EXPORT __attribute__((visibility("default")))

#endif
