/* SPDX-License-Identifier: MIT */
/* count_lanes.c - assigns lanes of counters to threads, with a bitmap of the assigned lanes. */
#include "event/count_lanes.h"

static uint64_t taken;

void spoor_count_lanes_begin(void)
{
	taken = 1;
}

uint32_t spoor_count_lane_free(void)
{
	uint64_t now = __atomic_load_n(&taken, __ATOMIC_ACQUIRE);

	return ~now ? (uint32_t)__builtin_ctzll(~now) : SPOOR_COUNT_LANES_MAX;
}

void spoor_count_lane_take(struct spoor_thread *thread, uint32_t lane, uint64_t counters)
{
	__atomic_fetch_or(&taken, 1ull << lane, __ATOMIC_ACQ_REL);
	thread->count_lane = lane;
	__atomic_store_n(&thread->counts, counters, __ATOMIC_RELEASE);
}

void spoor_count_lane_leave(struct spoor_thread *thread)
{
	thread->shares_counts = 0;
	if (!__atomic_exchange_n(&thread->counts, 0, __ATOMIC_RELAXED))
		return;
	__atomic_fetch_and(&taken, ~(1ull << thread->count_lane), __ATOMIC_ACQ_REL);
}
