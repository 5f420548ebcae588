/* SPDX-License-Identifier: MIT */
/* handover.c - numbered slots that one thread fills and another one empties. */
#include "reader/files/handover.h"

void handover_begin(struct handover *handover, size_t slots)
{
	*handover = (struct handover){ .slots = slots };
	pthread_mutex_init(&handover->lock, NULL);
	pthread_cond_init(&handover->may_fill, NULL);
	pthread_cond_init(&handover->may_take, NULL);
}

void handover_free(struct handover *handover)
{
	pthread_cond_destroy(&handover->may_take);
	pthread_cond_destroy(&handover->may_fill);
	pthread_mutex_destroy(&handover->lock);
}

long handover_fill(struct handover *handover)
{
	long slot;

	pthread_mutex_lock(&handover->lock);
	if (handover->filled == handover->slots)
		while (handover->filled > handover->slots / 2 && !handover->stopped)
			pthread_cond_wait(&handover->may_fill, &handover->lock);
	slot = handover->stopped ? -1 : (long)((handover->first + handover->filled) % handover->slots);
	pthread_mutex_unlock(&handover->lock);
	return slot;
}

void handover_filled(struct handover *handover)
{
	pthread_mutex_lock(&handover->lock);
	if (++handover->filled == (handover->slots + 1) / 2)
		pthread_cond_signal(&handover->may_take);
	pthread_mutex_unlock(&handover->lock);
}

void handover_fill_end(struct handover *handover)
{
	pthread_mutex_lock(&handover->lock);
	handover->ended = true;
	pthread_cond_signal(&handover->may_take);
	pthread_mutex_unlock(&handover->lock);
}

long handover_take(struct handover *handover)
{
	long slot;

	pthread_mutex_lock(&handover->lock);
	if (!handover->filled)
		while (handover->filled < (handover->slots + 1) / 2 && !handover->ended)
			pthread_cond_wait(&handover->may_take, &handover->lock);
	slot = handover->filled ? (long)handover->first : -1;
	pthread_mutex_unlock(&handover->lock);
	return slot;
}

void handover_taken(struct handover *handover)
{
	pthread_mutex_lock(&handover->lock);
	handover->first = (handover->first + 1) % handover->slots;
	if (--handover->filled == handover->slots / 2)
		pthread_cond_signal(&handover->may_fill);
	pthread_mutex_unlock(&handover->lock);
}

void handover_stop(struct handover *handover)
{
	pthread_mutex_lock(&handover->lock);
	handover->stopped = true;
	pthread_cond_signal(&handover->may_fill);
	pthread_mutex_unlock(&handover->lock);
}
