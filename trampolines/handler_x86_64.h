/* SPDX-License-Identifier: MIT */
/* handler_x86_64.h - trampolines of handlers without vector registers, which stubs have copies of:
 * far jumps, between an executable and libspoor.so, cost more than all else that these do. */
#include "event/event_path.h"
#include "trampolines/frame_x86_64.h"

	/* The handler's: rdi the function's ID, from its chunk's module ID and origin
	 * and its index; esi the kind. r11 is the event's code, whose upper half does
	 * not matter, and is lost. \ids: what loads where spoor_function_ids lies. */
	.macro arguments kind ids
	lea -(\kind << 29)(%r11), %edi
	mov %edi, %r11d
	shr $SPOOR_ID_CHUNK_SHIFT, %r11d
	\ids, %rsi
	add (%rsi,%r11,8), %rdi
	mov $\kind, %esi
	.endm

	/* \pushed: words, since the sled */
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

/* Without vector registers the stack's alignment does not matter, and what such a
 * handler calls is not traced (spoor.h): nothing guards against recursion. */
	.macro bare name kind tail ids handler
	trampoline_begin \name \tail
	general_keep
	handler_call \kind \tail 8 "\ids" \handler
	general_restore
	trampoline_return \tail
	trampoline_end \name
	.endm

/* What the arguments need: 13 instructions. */
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
