/* SPDX-License-Identifier: MIT */
/*
 * main_thread.h - detects that only spoor's own thread keeps a program running.
 *
 * spoor intercepts the functions of libc that end a thread (service.h). A program can also call the
 * system call exit directly. Then only the kernel acts: it clears the word in which libc keeps the
 * thread's ID, and wakes one waiter on this word (set_tid_address(2)), as pthread_join needs.
 */
#ifndef SPOOR_MAIN_THREAD_H
#define SPOOR_MAIN_THREAD_H

#include <stdint.h>

/*
 * spoor_main_thread_word - the word that the kernel clears when the main thread ends. It holds the
 * thread's ID.
 *
 * Return: null if the address is unknown: the main thread must be the first to call this function in
 * a process, and an emulator must not run it.
 */
const uint32_t *spoor_main_thread_word(void);

/* Wakes all other waiters on the word. The kernel wakes only one waiter, which must call this function. */
void spoor_main_thread_pass_on(const uint32_t *word);

/*
 * spoor_main_thread_company - counts the threads besides the main thread and the calling thread.
 * @status: the main thread's exit status in the format of wait(2); set if 0 is returned
 *
 * Return: the number of threads; 0 if there is none and the main thread is a zombie; -1 if there is
 * none and the main thread is no zombie yet, or if /proc cannot be read.
 */
int spoor_main_thread_company(int *status);

#endif
