/* SPDX-License-Identifier: MIT */
/*
 * order_aarch64.S - what a patched entry sled reaches in mode 'order', once: the function takes
 * the next entry of the file, and its sled is dormant from here on.
 *
 * The contract on entry is that of log_aarch64.S. Kept: every register but x0, x16, x17 and
 * x30, and the flags. No thread has anything of its own here: signal handlers and forked
 * children may come through at any instruction.
 */
#include "event_path.h"
#include "frame_aarch64.h"
#include "order_format.h"

#define SLED_CALL_END 20	/* what the sled's call returns to, from its begin */
#define SLED_DORMANT 0x14000008

	.text
	branch_protection_note

	/* w0: the event's code */
	.macro order name sled
	trampoline_begin \name HOW_ENTRY
	keep x1, x2
	.if \sled
	/* Others may be about to execute it: either instruction is as good. */
	mov w16, #(SLED_DORMANT & 0xffff)
	movk w16, #(SLED_DORMANT >> 16), lsl #16
	sub x17, x30, #SLED_CALL_END
	str w16, [x17]
	dc cvau, x17
	dsb ish
	ic ivau, x17
	dsb ish
	isb
	.endif
	and w0, w0, #((1 << 29) - 1)		/* the dense index */
	dmb ishld				/* README, 7: no memory older than the slot */
	adrp x16, spoor_order
	ldr x16, [x16, :lo12:spoor_order]
	cbz x16, 3f
	adrp x17, spoor_order_seen
	ldr x17, [x17, :lo12:spoor_order_seen]
	lsr w1, w0, #5
	add x17, x17, x1, lsl #2		/* its bit is in this word of 32 */
	keep x3, x4
	mov w1, #1
	lsl w1, w1, w0
1:	ldxr w2, [x17]
	orr w3, w2, w1
	stxr w4, w3, [x17]
	cbnz w4, 1b
	and w2, w2, w1
	cbnz w2, 4f				/* it has an entry */
	add x17, x16, #SPOOR_ORDER_COUNT
2:	ldxr w2, [x17]
	add w3, w2, #1
	stxr w4, w3, [x17]
	cbnz w4, 2b
	add w0, w0, #1
	add x16, x16, #SPOOR_ORDER_ENTRIES_OFFSET
	str w0, [x16, w2, uxtw #2]
4:	restore x3, x4
3:	restore x1, x2
	trampoline_return HOW_ENTRY
	trampoline_end \name
	.endm


	order spoor_order_entry 1
	order spoor_order_hooked 0

	.section .note.GNU-stack, "", @progbits
