/* SPDX-License-Identifier: MIT */
/* adopted_tracepoints.h - tracepoints of spoor/sdt.h in modules that were loaded before libspoor.so, or never register. */
#ifndef SPOOR_ADOPTED_TRACEPOINTS_H
#define SPOOR_ADOPTED_TRACEPOINTS_H

/*
 * spoor_adopt_tracepoints - makes the tracepoints of all loaded modules known, whether these register them or not.
 *
 * Return: how many of them are on for it. Context: not under the registry's lock, for the dynamic loader's is taken
 * first.
 */
long spoor_adopt_tracepoints(void);

#endif
