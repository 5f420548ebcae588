/* SPDX-License-Identifier: MIT */
/* system.h - the architecture's own file, whose name the build defines. */
#ifndef SPOOR_SYSTEM_H
#define SPOOR_SYSTEM_H

#include SPOOR_SYSTEM_HEADER

#endif
