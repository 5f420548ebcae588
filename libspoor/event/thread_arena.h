/* SPDX-License-Identifier: MIT */
/*
 * thread_arena.h - where the states of all threads that log lie: one arena that the kernel wipes
 * in a forked child, so that the child's first event finds cursor 0 and takes the slow path,
 * whatever code of the child's runs first: atfork handlers would come too late. For thread.c;
 * thread.h has what others ask.
 */
#ifndef SPOOR_THREAD_ARENA_H
#define SPOOR_THREAD_ARENA_H

#include <stdbool.h>

#include "event/event_path.h"

/* Return: 0 or a negative errno. */
int spoor_thread_arena_begin(void);

/* In a forked child: it is wiped, and its fork has been seen; then, what it begins is its own. */
void spoor_thread_arena_after_fork(void);
void spoor_thread_arena_forget(void);

/* Whether the caller runs in memory of its own: not so between vfork and exec. */
bool spoor_thread_arena_is_ours(void);

/* Each slot is as a new one, and still its thread's. */
void spoor_thread_arena_expire(void);

/* A free slot, with the process's ID in it, or null. Any thread. */
struct spoor_thread *spoor_thread_slot_claim(void);

/* Gives a slot back. Its thread has left it, or is no more. */
void spoor_thread_slot_free(struct spoor_thread *thread);

/* The next number for a thread of this process, from 1. */
uint32_t spoor_thread_serial(void);

#endif
