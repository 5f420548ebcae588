/* SPDX-License-Identifier: MIT */
/*
 * main_thread.h - the end of a program that keeps on running for our thread alone.
 *
 * libc's functions that end a thread are told of (service.h). The system call exit itself
 * nobody is told of but the kernel: it clears the word in which libc keeps the thread's ID, and
 * wakes one of those who wait there (set_tid_address(2)), as pthread_join does.
 */
#ifndef SPOOR_MAIN_THREAD_H
#define SPOOR_MAIN_THREAD_H

#include <stdint.h>

/*
 * spoor_main_thread_word - the kernel's word of the main thread, with the thread's ID.
 *
 * Return: null where that cannot be known: asked for by another thread before the main thread
 * did, or under an emulator.
 */
const uint32_t *spoor_main_thread_word(void);

/* To be called by who waits beside others for the word: the kernel has woken one of them. */
void spoor_main_thread_pass_on(const uint32_t *word);

/*
 * spoor_main_thread_company - who is there beside the main thread and the calling one.
 * @status: what the main thread ended with, as wait(2) has it, where that is 0
 *
 * Return: how many threads, 0 where there is none and the main thread is a zombie, or -1 where
 * it is none yet, or that cannot be known.
 */
int spoor_main_thread_company(int *status);

#endif
