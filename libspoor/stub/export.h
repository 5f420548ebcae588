/* SPDX-License-Identifier: MIT */
/* export.h - the functions of the stub library that programs see. */
#ifndef SPOOR_STUB_EXPORT_H
#define SPOOR_STUB_EXPORT_H

#include "spoor.h"

#define EXPORT __attribute__((visibility("default")))

#endif
