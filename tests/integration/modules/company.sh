#!/bin/sh
# SPDX-License-Identifier: MIT
# company.sh - programs that other tools also instrument, for sanitizers and for coverage; allocators and other
# libraries that are preloaded before and after libspoor.so; a traced libc and libm; perf. Each program behaves the
# same, the other tools find and count the same, and the trace is right.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

# A kernel with maximal address randomisation has no room for shadow memory.
unset ASAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS
sanitized=
! nm "$libspoor" | grep -q " U __[at]san_init\| U __ubsan" || sanitized=1

# same NAME COMMAND... - runs the command untraced and traced, with the same output and status.
same()
{
	what=$1
	shift
	status=0
	timeout 120 "$@" > "$what.untraced" 2> "$what.untraced.err" || status=$?
	wanted=$status
	status=0
	traced "$what" timeout 120 "$@" > "$what.out" 2> "$what.err" || status=$?
	equal "$what: status ($(cat "$what.err"))" "$status" "$wanted"
	cmp "$what.untraced" "$what.out" || fail "$what: the output differs from an untraced run (see above)"
	silent "$what.err"
}

# Sanitizers: correct programs have no report, and a mistake is found. Their runtimes cannot be preloaded if the
# program has one of another build.
if [ -z "$sanitized" ]; then
	for pair in address=heap thread=race undefined=overflow; do
		kind=${pair%=*}
		mistake=${pair#*=}
		flags="-O1 -fsanitize=$kind -fno-sanitize-recover=undefined"
		# shellcheck disable=SC2086
		traced_cc $flags -o "mistakes-$kind" "$victims/threads/mistakes.c" -pthread 2> build.err ||
			fail "building with -fsanitize=$kind failed: $(cat build.err)"
		# shellcheck disable=SC2086
		traced_cc $flags -o "threads-$kind" "$victims/threads/threads.c" -pthread
		same "right-$kind" ./mistakes-$kind
		facts "right-$kind"
		calls_are "right-$kind" leaf 1000
		same "wrong-$kind" ./mistakes-$kind $mistake
		grep -q 'Sanitizer\|runtime error' "wrong-$kind.untraced.err" ||
			fail "$kind: the sanitizer finds no mistake in the untraced program:" \
				"$(cat "wrong-$kind.untraced.err")"
		equal "$kind: mistakes found" "$(grep -o 'ERROR: .*Sanitizer: [a-z-]*\|WARNING: .*Sanitizer: [a-z ]*\|runtime error: .*' "wrong-$kind.err")" \
			"$(grep -o 'ERROR: .*Sanitizer: [a-z-]*\|WARNING: .*Sanitizer: [a-z ]*\|runtime error: .*' "wrong-$kind.untraced.err")"
		facts -n "wrong-$kind"
		[ "$(entries "wrong-$kind" leaf)" -gt 1000 ] ||
			fail "$kind: the trace has only $(entries "wrong-$kind" leaf) calls of leaf"
		same "threads-$kind.trace" ./threads-$kind many 16 2000
		facts "threads-$kind.trace"
		calls_are "threads-$kind.trace" leaf 32000
	done
fi

# Coverage of both kinds: the same counts.
traced_cc -fprofile-instr-generate -fcoverage-mapping -o coverage "$victims/threads/mistakes.c" -pthread
export LLVM_PROFILE_FILE=untraced.profraw
./coverage > /dev/null || [ $? = 3 ]
export LLVM_PROFILE_FILE=traced.profraw
traced coverage.trace ./coverage > /dev/null || [ $? = 3 ]
unset LLVM_PROFILE_FILE
facts coverage.trace
calls_are coverage.trace leaf 1000
for run in untraced traced; do
	"$LLVM_BINDIR/llvm-profdata" show --all-functions --counts $run.profraw > $run.counts
done
grep -q 'Block counts: \[.*1000' untraced.counts || grep -q 'Function count: 1000' untraced.counts ||
	fail "the untraced program has no coverage counts: $(cat untraced.counts)"
cmp untraced.counts traced.counts
traced_cc --coverage -o gcov "$victims/threads/mistakes.c" -pthread
same gcov.trace ./gcov
facts gcov.trace
calls_are gcov.trace leaf 1000
data=$(find . -name '*.gcda')
[ -s "$data" ] || fail "the program wrote no .gcda file"
# The file has the counts of an untraced and a traced run.
"$LLVM_BINDIR/llvm-cov" gcov -t "$data" > gcov.text 2> gcov.err || fail "llvm-cov failed: $(cat gcov.err)"
equal "gcov: calls of leaf" "$(grep -A 1 'void leaf(void)' gcov.text | grep -o '^ *[0-9]*' | head -n 1 | tr -d ' ')" 2000

# A traced libc and libm: all calls of the program are recorded (and possibly the runtime's own calls of memcpy and
# the like).
library own_libc
traced_cc -fno-builtin -o calculates "$victims/threads/calculates.c" -L. -lown_libc -Wl,-rpath,"$work" -lm -pthread
for LIFE_RECORD in "" 1; do
	same calculates.trace ./calculates
	facts calculates.trace
	for calls in leaf=40000 sin=40000 sinl=40000 cexp=40000 fma=160000; do
		calls_are calculates.trace "${calls%=*}" "${calls#*=}"
	done
	for name in memcpy memmove memset memcmp strlen strcmp; do
		[ "$(entries calculates.trace $name)" -ge 40000 ] ||
			fail "$name: the trace has only $(entries calculates.trace $name) calls"
	done
	equal "lost" "$(lost calculates.trace)" 0
done
LIFE_RECORD=

# Another library's malloc, and any other library, before or after libspoor.so.
traced_cxx -o allocates "$victims/modules/allocates.cc" -pthread
library loaded
./allocates "$work/libloaded.so" > untraced.out
jemalloc=$(ldconfig -p | sed -n 's/.*libjemalloc\.so\.2 .*=> //p' | head -n 1)
for other in ${jemalloc:-} "$top_builddir/tests/golden/libsample.so"; do
	for order in "$libspoor:$other" "$other:$libspoor"; do
		rm -rf preload
		timeout 120 env LD_PRELOAD="$order" SPOOR_RUNTIME_TRACE_PATH=preload ./allocates "$work/libloaded.so" > preload.out \
			2> preload.err || fail "$order: the program ended with status $?: $(cat preload.err)"
		silent preload.err
		cmp untraced.out preload.out
		facts -n preload
		equal "$order: calls" "$(entries preload _ZL4worki)" 324
		equal "$order: lost" "$(lost preload)" 0
	done
done
[ -n "$jemalloc" ] || echo "company: libjemalloc.so.2 is not here (apt-get install libjemalloc2)" >&2

# perf, if the kernel permits counting and sampling.
program hello
if command -v perf > /dev/null && perf record -q -o perf.first true 2> perf.err; then
	same perf.trace perf record -q -o perf.data ./hello 2000000
	facts perf.trace
	calls_are perf.trace leaf 2000000
	perf script -i perf.data -F comm,sym 2> /dev/null > perf.text || fail "perf script ended with status $?"
	grep -q hello perf.text || fail "perf has no sample of the program: $(head -n 3 perf.text)"
else
	echo "company: perf does not work here: $(cat perf.err)" >&2
fi
