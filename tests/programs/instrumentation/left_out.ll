; SPDX-License-Identifier: MIT
; left_out.ll - calling conventions that C cannot name.
target triple = "x86_64-pc-linux-gnu"

@sink = global i64 0

define ghccc void @left_ghc(i64 %base) {
  store volatile i64 %base, i64* @sink
  ret void
}

define coldcc void @left_cold(i64 %a) {
  store volatile i64 %a, i64* @sink
  ret void
}

define fastcc void @kept_fast(i64 %a) {
  store volatile i64 %a, i64* @sink
  ret void
}

define tailcc i64 @left_tail_stack(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g) {
  ret i64 %g
}

define tailcc i64 @kept_tail_registers(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f) {
  ret i64 %f
}

define tailcc double @left_tail_vectors(double %a, double %b, double %c, double %d, double %e, double %f, double %g, double %h, double %i) {
  ret double %i
}

define swifttailcc i64 @left_swifttail_stack(i128 %a, i128 %b, i128 %c, i64 %d) {
  ret i64 %d
}

define swifttailcc i64 @kept_swifttail_registers(i128 %a, i128 %b, i64 %d) {
  ret i64 %d
}

define available_externally i64 @left_available_externally(i64 %a) {
  ret i64 %a
}

define void @left_only_branches() {
  br label %next
next:
  unreachable
}

@__gxx_personality_v0 = external global i8
declare void @llvm.donothing()

define void @left_only_invokes_nothing() personality i8* @__gxx_personality_v0 {
  invoke void @llvm.donothing() to label %next unwind label %pad
next:
  unreachable
pad:
  %1 = landingpad { i8*, i32 } cleanup
  resume { i8*, i32 } %1
}

define void @kept_endless() {
  br label %again
again:
  br label %again
}

define i64 @left_short_redirect(i64 %a) "patchable-function"="prologue-short-redirect" {
  ret i64 %a
}
