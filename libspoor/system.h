/* SPDX-License-Identifier: MIT */
/* system.h - the architecture's own file, by its name. */
#ifndef SPOOR_SYSTEM_H
#define SPOOR_SYSTEM_H

#define SPOOR_STRING_(name) #name
#define SPOOR_STRING(name) SPOOR_STRING_(name)
#define SPOOR_ARCH_HEADER_(arch) SPOOR_STRING(system_##arch.h)
#define SPOOR_ARCH_HEADER(arch) SPOOR_ARCH_HEADER_(arch)

#include SPOOR_ARCH_HEADER(SPOOR_ARCH)

#endif
