/* SPDX-License-Identifier: MIT */
/* hook_x86_64.S - passes the event of a compiler's hook on to a trampoline. */
#include "trampolines/frame_x86_64.h"

	.text

/* void spoor_hook_follow(uint32_t code, void *slot): jumps to the trampoline as a sled's thunk does. */
	trampoline_begin spoor_hook_follow 0
	mov %edi, %r11d
	jmp *%rsi
	trampoline_end spoor_hook_follow

	.section .note.GNU-stack, "", @progbits
