/* SPDX-License-Identifier: MIT */
/*
 * handler_x86_64.h - macros of the trampolines for handlers that use no vector registers.
 *
 * Each module's stub has its own copies, because a far jump between an executable and
 * libspoor.so costs more than the rest of such a trampoline.
 */
#include "event/event_path.h"
#include "trampolines/frame_x86_64.h"

	/* Loads the handler's arguments: rdi = the function ID, made of its chunk's module ID
	 * and origin and its index; esi = the kind. In: r11 = the event code (the upper half is
	 * ignored); clobbers r11. \ids: the instruction that loads the address of
	 * spoor_function_ids. */
	.macro arguments kind ids
	lea -(\kind << 29)(%r11), %edi
	mov %edi, %r11d
	shr $SPOOR_ID_CHUNK_SHIFT, %r11d
	\ids, %rsi
	add (%rsi,%r11,8), %rdi
	mov $\kind, %esi
	.endm

	/* \pushed: number of words pushed since the sled */
	.macro handler_call kind tail pushed ids handler
	.if \tail
	keep %r11
	tail_code (8*\pushed+8)(%rsp), r11, r11d
	.endif
	arguments \kind "\ids"
	call *\handler(%rip)
	.if \tail
	restore %r11
	.endif
	.endm

/* Such a handler needs no stack alignment, as it uses no vector registers, and no guard against
 * recursion, as the functions that it calls are not traced (spoor.h). */
	.macro bare name kind tail ids handler
	trampoline_begin \name \tail
	general_keep
	handler_call \kind \tail 8 "\ids" \handler
	general_restore
	trampoline_return \tail
	trampoline_end \name
	.endm

/* Saves only the two argument registers: 13 instructions. */
	.macro saving name kind tail ids handler
	trampoline_begin \name \tail
	keep %rdi
	keep %rsi
	handler_call \kind \tail 2 "\ids" \handler
	restore %rsi
	restore %rdi
	trampoline_return \tail
	trampoline_end \name
	.endm
