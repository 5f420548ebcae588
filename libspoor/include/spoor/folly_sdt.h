/* SPDX-License-Identifier: MIT */
/*
 * spoor/folly_sdt.h - maps folly's macros for static tracepoints onto those of spoor/sdt.h.
 *
 * A program includes this file instead of <folly/tracing/StaticTracepoint.h>. There are two
 * differences: FOLLY_SDT_WITH_SEMAPHORE evaluates its arguments only while a tracer is attached,
 * and the semaphore has 32 bits (sdt.h).
 */
#ifndef SPOOR_FOLLY_SDT_H
#define SPOOR_FOLLY_SDT_H

#ifdef FOLLY_SDT
#error "folly/tracing/StaticTracepoint.h is included as well: include one of the two"
#endif

#if defined FOLLY_SDT_ARG_CONSTRAINT && !defined SPOOR_SDT_ARG_CONSTRAINT
#define SPOOR_SDT_ARG_CONSTRAINT FOLLY_SDT_ARG_CONSTRAINT
#endif

#include "sdt.h"

#define FOLLY_SDT(...) SPOOR_SDT(__VA_ARGS__)
#define FOLLY_SDT_WITH_SEMAPHORE(...) SPOOR_SDT_WITH_SEMAPHORE(__VA_ARGS__)
#define FOLLY_SDT_DEFINE_SEMAPHORE(provider, name) SPOOR_SDT_DEFINE_SEMAPHORE(provider, name)
#define FOLLY_SDT_DECLARE_SEMAPHORE(provider, name) SPOOR_SDT_DECLARE_SEMAPHORE(provider, name)
#define FOLLY_SDT_IS_ENABLED(provider, name) SPOOR_SDT_IS_ENABLED(provider, name)

#endif
