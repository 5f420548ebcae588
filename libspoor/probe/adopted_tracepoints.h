/* SPDX-License-Identifier: MIT */
/* adopted_tracepoints.h - adds tracepoints of spoor/sdt.h in modules that were loaded before libspoor.so or never
 * register. */
#ifndef SPOOR_ADOPTED_TRACEPOINTS_H
#define SPOOR_ADOPTED_TRACEPOINTS_H

/*
 * spoor_adopt_tracepoints - adds the tracepoints of all loaded modules, whether the modules register them or not.
 *
 * Returns how many were switched on.
 *
 * Context: not under the registry's lock, because the dynamic loader's lock is taken first.
 */
long spoor_adopt_tracepoints(void);

#endif
