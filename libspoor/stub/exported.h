/* SPDX-License-Identifier: MIT */
/* exported.h - the functions of the stub library that programs see. */
#ifndef SPOOR_STUB_EXPORTED_H
#define SPOOR_STUB_EXPORTED_H

#include "spoor.h"

#define EXPORT __attribute__((visibility("default")))

#endif
