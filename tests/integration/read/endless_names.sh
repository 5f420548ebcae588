#!/bin/sh
# SPDX-License-Identifier: MIT
# endless_names.sh - functions whose full names would have exabytes are built, chosen, traced and shown like others:
# each name is cut off at the limit and ends with "...".
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

{
	echo 'template <class A, class B> struct P {};'
	echo 'typedef P<int, char> T0;'
	for level in $(seq 60); do
		echo "typedef P<T$((level - 1)), T$((level - 1))> T$level;"
	done
	cat <<'C'
__attribute__((noinline)) void take(T60 *p) { __asm__ volatile("" : : "r"(p)); }
__attribute__((noinline)) int plain(int x) { __asm__ volatile("" : : "r"(x)); return x + 1; }
int main() { int n = 0; for (int i = 0; i < 10; i++) { take(nullptr); n = plain(n); } return n != 10; }
C
} > endless.cc
cat > rules.toml <<'END'
[[block]]
function_demangled_name_glob = 'plain*'
END

# With -g clang itself writes the name of each type without a limit.
for mode in sled call order; do
	traced_cxx -g0 -fspoor-mode=$mode -fspoor-runtime -o $mode endless.cc
	[ "$(wc -c < $mode)" -lt 1000000 ] || fail "$mode: the program has $(wc -c < $mode) bytes"
done
"$clang" -g0 -x c++ -S -emit-llvm -O1 -o endless.ll endless.cc
"$SPOOR_OPT" --filters_file=rules.toml --output_symbols_file=symbols --output_file=endless.bc endless.ll
[ "$(wc -c < symbols)" -lt 100000 ] || fail "the symbols file has $(wc -c < symbols) bytes"
"$spoor" filters --explain --symbols symbols rules.toml > explained 2>&1 || true
"$spoor" symbols symbols > listed
grep -q 'take(P<P<.*\.\.\.' listed || fail "spoor symbols does not cut off the name: $(cut -c 1-200 listed)"

# Patterns match the name up to the limit, in the program and in the tools.
for mode in sled call; do
	SPOOR_RUNTIME_FUNCTIONS='take(P<P<*' traced $mode.trace ./$mode
	"$spoor" report --format=csv $mode.trace > report
	grep -q '^"take(P<P<.*\.\.\.",'"$mode,10," report ||
		fail "$mode: the report does not have ten calls under the cut name: $(cut -c 1-200 report)"
	[ "$(wc -c < report)" -lt 10000 ] || fail "$mode: the report has $(wc -c < report) bytes"
	[ $mode = call ] || ! grep -q '^plain' report ||
		fail "$mode: the pattern chose other functions: $(cut -c 1-200 report)"
	for command in report replay flame graph view 'export --format csv --flat'; do
		# shellcheck disable=SC2086
		"$spoor" $command $mode.trace > out 2> err || fail "spoor $command failed: $(cut -c 1-200 err)"
		[ "$(wc -c < out)" -lt 3000000 ] || fail "spoor $command: the output has $(wc -c < out) bytes"
	done
	equal "$mode: calls by a pattern" "$("$spoor" report --format=csv --function 'take(P<P<*' $mode.trace | wc -l)" 2
done
"$spoor" report --format=csv --no-demangle sled.trace | grep -q '^_Z4takeP1PI' ||
	fail "the linkage name differs: $("$spoor" report --format=csv --no-demangle sled.trace | cut -c 1-200)"
