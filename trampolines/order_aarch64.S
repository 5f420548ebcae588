/* SPDX-License-Identifier: MIT */
/*
 * order_aarch64.S - stores the function in the next entry of the order file and makes its sled
 * dormant again. A patched entry sled reaches this code once, in mode "order".
 *
 * The contract is that of log_aarch64.S. The code uses no data of the thread, so signal handlers and
 * forked children may run it at any time.
 */
#include "event/event_path.h"
#include "trampolines/frame_aarch64.h"
#include "format/order_format.h"

#define SLED_CALL_END 20	/* offset of the call's return address from the start of the sled */
#define SLED_DORMANT 0x14000008

	.text
	branch_protection_note

	.macro order name sled
	trampoline_begin \name HOW_ENTRY
	.if \sled
	/* Other threads may be about to execute the head: the old and the new instruction are both right. */
	mov w0, #(SLED_DORMANT & 0xffff)
	movk w0, #(SLED_DORMANT >> 16), lsl #16
	sub x1, x30, #SLED_CALL_END
	str w0, [x1]
	dc cvau, x1
	dsb ish
	ic ivau, x1
	dsb ish
	isb
	.endif
	and w16, w16, #((1 << 29) - 1)		/* the dense index */
	dmb ishld				/* README, 7: loads the memory after the slot */
	adrp x0, spoor_order
	ldr x0, [x0, :lo12:spoor_order]
	cbz x0, 4f
	adrp x1, spoor_order_seen
	ldr x1, [x1, :lo12:spoor_order_seen]
	keep x2, x3
	keep x4, x5
	lsr w2, w16, #5
	add x1, x1, x2, lsl #2			/* its bit is in this word of 32 */
	mov w2, #1
	lsl w2, w2, w16
1:	ldxr w3, [x1]
	orr w4, w3, w2
	stxr w5, w4, [x1]
	cbnz w5, 1b
	and w3, w3, w2
	cbnz w3, 3f				/* it has an entry */
	add x1, x0, #SPOOR_ORDER_COUNT
2:	ldxr w3, [x1]
	add w4, w3, #1
	stxr w5, w4, [x1]
	cbnz w5, 2b
	add w16, w16, #1
	add x0, x0, #SPOOR_ORDER_ENTRIES_OFFSET
	str w16, [x0, w3, uxtw #2]
3:	restore x4, x5
	restore x2, x3
4:	trampoline_return HOW_ENTRY
	trampoline_end \name
	.endm

	order spoor_order_entry 1
	order spoor_order_hooked 0

	.section .note.GNU-stack, "", @progbits
