/* SPDX-License-Identifier: MIT */
/*
 * order_x86_64.S - what a patched entry sled reaches in mode 'order', once: the function takes
 * the next entry of the file, and its sled is dormant from here on.
 *
 * The contract on entry is that of log_x86_64.S. Kept: every register but r11 and the flags.
 * No thread has anything of its own here: signal handlers and forked children may come through
 * at any instruction.
 */
#include "event/event_path.h"
#include "trampolines/frame_x86_64.h"
#include "format/order_format.h"

#define SLED_BYTES 11
#define SLED_DORMANT 0x09eb

	.text

	/* r11d: the event's code */
	.macro order name sled
	trampoline_begin \name 0
	keep %rcx
	keep %rax
	.if \sled
	mov 16(%rsp), %rcx			/* behind the sled */
	movw $SLED_DORMANT, -SLED_BYTES(%rcx)
	.endif
	and $((1 << 29) - 1), %r11d		/* the dense index */
	mov spoor_order(%rip), %rcx
	test %rcx, %rcx
	jz 1f
	mov spoor_order_seen(%rip), %rax
	lock bts %r11, (%rax)
	jc 1f
	mov $1, %eax
	lock xadd %eax, SPOOR_ORDER_COUNT(%rcx)
	inc %r11d
	mov %r11d, SPOOR_ORDER_ENTRIES_OFFSET(%rcx,%rax,4)
1:
	restore %rax
	restore %rcx
	ret
	trampoline_end \name
	.endm

	order spoor_order_entry 1
	order spoor_order_hooked 0

	.section .note.GNU-stack, "", @progbits
