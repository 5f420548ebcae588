; SPDX-License-Identifier: MIT
; calls.ll - every way to leave a function, in IR. "; calls NAME ENTRIES EXITS" gives the expected number
; of calls of the runtime. injected_calls.sh expands PERSONALITY, and pointers for LLVM 14.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@type = external constant i8
@place = global i64 0

declare void @may_throw()
declare void @cannot_throw() nounwind
declare i64 @value(i64)
declare void @gone() noreturn
declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)
declare i32 @llvm.eh.typeid.for(ptr)
declare i64 @llvm.experimental.deoptimize.i64(...)

; calls returns 1 1
define void @returns() nounwind {
  call void @cannot_throw()
  ret void
}

; A function that cannot throw gets no landing pad.
; calls may_be_left 1 2
define void @may_be_left() {
  call void @may_throw()
  ret void
}

; calls two_returns 1 2
define i64 @two_returns(i1 %which) nounwind {
  br i1 %which, label %a, label %b
a:
  ret i64 1
b:
  ret i64 2
}

; calls switches 1 3
define i64 @switches(i64 %which) nounwind {
  switch i64 %which, label %other [ i64 1, label %one
                                    i64 2, label %two ]
one:
  ret i64 10
two:
  ret i64 20
other:
  ret i64 30
}

; calls jumps 1 2
define i64 @jumps(i1 %which) nounwind {
  %at = select i1 %which, ptr blockaddress(@jumps, %a), ptr blockaddress(@jumps, %b)
  indirectbr ptr %at, [label %a, label %b]
a:
  ret i64 1
b:
  ret i64 2
}

; calls asm_jumps 1 2
define i64 @asm_jumps() nounwind {
  callbr void asm sideeffect "# $0", "!i"() to label %a [label %b]
a:
  ret i64 1
b:
  ret i64 2
}

; calls ends 1 0
define void @ends() nounwind {
  call void @cannot_throw()
  call void asm sideeffect "ud2", ""()
  unreachable
}

; calls never_returns 1 1
define void @never_returns() {
  call void @gone()
  unreachable
}

; The call replaces the function, so the exit comes before the call.
; calls must_tail 1 1
define i64 @must_tail(i64 %x) {
  %1 = musttail call i64 @value(i64 %x)
  ret i64 %1
}

; calls must_tail_of_two 1 2
define i64 @must_tail_of_two(i64 %x) nounwind {
  %c = icmp eq i64 %x, 0
  br i1 %c, label %a, label %b
a:
  %1 = musttail call i64 @value(i64 %x)
  ret i64 %1
b:
  ret i64 0
}

; calls may_tail 1 1
define i64 @may_tail(i64 %x) {
  %1 = tail call i64 @value(i64 %x)
  ret i64 %1
}

; The interpreter continues after this call, so only the return may follow the call.
; calls gives_up 1 1
define i64 @gives_up(i64 %x) nounwind {
  %1 = call i64 (...) @llvm.experimental.deoptimize.i64(i64 %x) [ "deopt"(i64 %x) ]
  ret i64 %1
}

; Two tail calls and a constant merge into one return.
; calls meet 1 3
define i64 @meet(i64 %x) nounwind {
  switch i64 %x, label %c [ i64 1, label %a
                            i64 2, label %b ]
a:
  %1 = tail call i64 @value(i64 7)
  br label %end
b:
  %2 = tail call i64 @meet(i64 8)
  br label %end
c:
  br label %end
end:
  %3 = phi i64 [ %1, %a ], [ %2, %b ], [ 0, %c ]
  ret i64 %3
}

; The merging block is removed before its last predecessor is.
; calls all_meet 1 3
define i64 @all_meet(i64 %x) nounwind {
  switch i64 %x, label %c [ i64 1, label %a
                            i64 2, label %b ]
a:
  %1 = tail call i64 @value(i64 7)
  br label %end
b:
  %2 = tail call i64 @value(i64 8)
  br label %end
c:
  %3 = tail call i64 @value(i64 9)
  br label %end
end:
  %4 = phi i64 [ %1, %a ], [ %2, %b ], [ %3, %c ]
  ret i64 %4
}

; calls void_meet 1 2
define void @void_meet(i64 %x) nounwind {
  %c = icmp eq i64 %x, 0
  br i1 %c, label %a, label %b
a:
  tail call void @cannot_throw()
  br label %end
b:
  tail call void @gone()
  br label %end
end:
  ret void
}

; No tail call in spite of the mark, because its value is used.
; calls no_tail 1 2
define i64 @no_tail(i64 %x) {
  %1 = tail call i64 @value(i64 %x)
  %2 = add i64 %1, 1
  ret i64 %2
}

; calls cleans_up 1 2
define void @cleans_up() personality PERSONALITY(__gxx_personality_v0) {
  invoke void @may_throw() to label %on unwind label %pad
on:
  ret void
pad:
  %1 = landingpad { ptr, i32 } cleanup
  call void @cannot_throw()
  resume { ptr, i32 } %1
}

; The pad does not catch exceptions of other types; they leave the function.
; calls catches_a_type 1 3
define void @catches_a_type() personality PERSONALITY(__gxx_personality_v0) {
  invoke void @may_throw() to label %on unwind label %pad
on:
  ret void
pad:
  %1 = landingpad { ptr, i32 } catch ptr @type
  call void @cannot_throw()
  ret void
}

; calls catches_all 1 2
define void @catches_all() personality PERSONALITY(__gxx_personality_v0) {
  invoke void @may_throw() to label %on unwind label %pad
on:
  ret void
pad:
  %1 = landingpad { ptr, i32 } catch ptr null
  call void @cannot_throw()
  ret void
}

; calls filters 1 2
define void @filters() personality PERSONALITY(__gxx_personality_v0) {
  invoke void @may_throw() to label %on unwind label %pad
on:
  ret void
pad:
  %1 = landingpad { ptr, i32 } filter [1 x ptr] [ptr @type]
  call void @gone() nounwind
  unreachable
}

; calls throws_in_handler 1 2
define void @throws_in_handler() personality PERSONALITY(__gxx_personality_v0) {
  invoke void @may_throw() to label %on unwind label %pad
on:
  ret void
pad:
  %1 = landingpad { ptr, i32 } catch ptr null
  call void @may_throw()
  unreachable
}

; Exceptions of other systems: the pass skips the functions, and they stay valid.
; calls funclet_cleans_up 0 0
define void @funclet_cleans_up() personality PERSONALITY(__CxxFrameHandler3) {
  invoke void @may_throw() to label %on unwind label %pad
on:
  ret void
pad:
  %1 = cleanuppad within none []
  call void @cannot_throw() [ "funclet"(token %1) ]
  cleanupret from %1 unwind to caller
}

; calls funclet_catches 0 0
define void @funclet_catches() personality PERSONALITY(__CxxFrameHandler3) {
  invoke void @may_throw() to label %on unwind label %dispatch
on:
  ret void
dispatch:
  %1 = catchswitch within none [label %pad] unwind to caller
pad:
  %2 = catchpad within %1 [ptr null, i32 64, ptr null]
  catchret from %2 to label %on
}

; calls bare 0 0
define void @bare() naked {
  call void asm sideeffect "ret", ""()
  unreachable
}

; calls elsewhere 0 0
define available_externally void @elsewhere() {
  call void @may_throw()
  ret void
}

; calls excluded 0 0
define void @excluded() "function-instrument"="xray-never" {
  call void @may_throw()
  ret void
}

; calls everywhere 1 1
define void @everywhere() alwaysinline nounwind {
  call void @cannot_throw()
  ret void
}

; calls many_arguments 1 1
define void @many_arguments(i64 %x, ...) nounwind {
  %list = alloca [3 x i64]
  call void @cannot_throw()
  ret void
}

; The function gets a landing pad even if its first block is a loop.
; calls loops 1 2
define void @loops() {
  br label %again
again:
  call void @may_throw()
  %1 = load volatile i64, i64ptr @place
  %2 = icmp eq i64 %1, 0
  br i1 %2, label %again, label %end
end:
  ret void
}

; LLVM rejects a call without a source location in a function with locations.
; calls has_places 1 2
define void @has_places() !dbg !4 {
  call void @may_throw(), !dbg !7
  ret void, !dbg !7
}

; calls _spoor_runtime_LogFunctionEntry 0 0
define linkonce void @_spoor_runtime_LogFunctionEntry(i64 %id) !dbg !8 {
  call void @may_throw(), !dbg !9
  ret void, !dbg !9
}

; main initialises and ends the runtime, around its own events.
; calls main 1 2
define i32 @main(i32 %count, ptr %words) nounwind {
  %1 = icmp eq i32 %count, 1
  br i1 %1, label %a, label %b
a:
  ret i32 0
b:
  %2 = musttail call i32 @main(i32 %count, ptr %words)
  ret i32 %2
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "calls.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "has_places", file: !1, line: 7, type: !5, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 8, scope: !4)
!8 = distinct !DISubprogram(name: "log", file: !1, line: 9, type: !5, spFlags: DISPFlagDefinition, unit: !0)
!9 = !DILocation(line: 9, scope: !8)
