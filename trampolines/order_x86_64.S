/* SPDX-License-Identifier: MIT */
/*
 * order_x86_64.S - stores the function in the next entry of the order file and makes its sled
 * dormant again. A patched entry sled reaches this code once, in mode "order".
 *
 * The contract on entry is that of log_x86_64.S. Preserved: every register except r11 and the
 * flags. The code uses no data of the thread, so signal handlers and forked children may run it
 * at any time.
 */
#include "event/event_path.h"
#include "trampolines/frame_x86_64.h"
#include "format/order_format.h"

#define SLED_BYTES 11
#define SLED_DORMANT 0x09eb

	.text

	/* In: r11d = the event code */
	.macro order name sled
	trampoline_begin \name 0
	keep %rcx
	keep %rax
	.if \sled
	mov 16(%rsp), %rcx			/* the address after the sled */
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
