/* SPDX-License-Identifier: MIT */
/* text_permission.h - finds out if this process's seccomp filters let the kernel read text. */
#ifndef SPOOR_TEXT_PERMISSION_H
#define SPOOR_TEXT_PERMISSION_H

/*
 * spoor_text_permission_test - sets spoor_text_filter_is_tested if the process has seccomp filters that permit
 * process_vm_readv. Tests once. Runs under the registry's lock, before an event reads text.
 */
void spoor_text_permission_test(void);

#endif
