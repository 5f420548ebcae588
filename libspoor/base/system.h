/* SPDX-License-Identifier: MIT */
/* system.h - includes the header of the architecture, whose name the build defines. */
#ifndef SPOOR_SYSTEM_H
#define SPOOR_SYSTEM_H

#include SPOOR_SYSTEM_HEADER

#endif
