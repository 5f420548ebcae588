#!/bin/sh
# SPDX-License-Identifier: MIT
# profiles.sh - builds with profiling, or optimised by a profile, can be traced: LLVM's profiles have the same calls
# of each function as the trace. A program that was split into hot and cold code has its sleds in both parts.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
. "$top_srcdir/tests/integration/support/call_counts.sh"
work_folder profiles
unset $(env | sed -n 's/^\(SPOOR_[A-Z_]*\)=.*/\1/p')
use_llvm "$LLVM_MAJOR" || fail "there is no plugin for LLVM $LLVM_MAJOR"
demo=$top_srcdir/tests/programs/demo
data=$PWD/data
mkdir data
cp "$top_srcdir"/tests/programs/build_systems/*.c data

# build NAME CFLAGS - builds the demo in the folder NAME.
build()
{
	make -s --no-print-directory -C "$demo" srcdir=. O="$PWD/$1" CC="$driver_c" CXX="$driver_cxx" CFLAGS="$2" \
		> "$1.make" 2>&1 || fail "$1 does not build: $(cat "$1.make")"
}

# traced NAME - checks that the traced run prints the same as the dormant one, nests, and loses no event.
traced()
{
	"$1/demo" "$data" > "$1.dormant" || fail "$1: the dormant program ended with status $?"
	grep -qx 'all checks passed' "$1.dormant" || fail "$1: the dormant program failed: $(cat "$1.dormant")"
	rm -f "$1"/*.profraw
	"$spoor" record -o "$1.trace" -- "$1/demo" "$data" > "$1.out" ||
		fail "$1: the traced program ended with status $?"
	cmp "$1.dormant" "$1.out"
	"$spoor" info "$1.trace" | grep -q '^ *lost  *nothing' ||
		fail "$1: events were lost: $("$spoor" info "$1.trace")"
	"$top_builddir/tests/integration/support/trace_facts" "$1.trace" > "$1.facts" ||
		fail "$1: the trace contradicts itself: trace_facts printed the reasons above"
}

mkdir counting generated used split

# The front end's counters see each call, and so does the trace without optimisation.
LLVM_PROFILE_FILE=$PWD/counting/%m.profraw
export LLVM_PROFILE_FILE
build counting '-O0 -fprofile-update=atomic -fprofile-instr-generate -fcoverage-mapping'
traced counting
"$llvm_bin/llvm-profdata" merge -o counting.profdata counting/*.profraw
"$llvm_bin/llvm-profdata" show --all-functions counting.profdata |
	awk -v OFS='\t' '/^  [^ ].*:$/ { name = $1; sub(/:$/, "", name); sub(/.*[:;]/, "", name) }
		/Function count:/ && $3 { count[name] += $3 } END { for (name in count) print name, count[name] }' | sort > profile
"$spoor" report --format=csv --no-demangle counting.trace > counting.csv
awk -F, -v OFS='\t' 'NR > 1 { count[$1] += $3 } END { for (name in count) print name, count[name] }' counting.csv | sort > report
# Functions that the front end generates have no counter.
join -t "$tab" profile report > common
awk -F '\t' '$2 != $3 { print; wrong = 1 } END { exit wrong }' common ||
	fail "the profile and the trace have different calls (see above)"
[ "$(wc -l < common)" -ge 60 ] || fail "only $(wc -l < common) functions are in both: $(diff profile report)"
join -t "$tab" -v 1 profile report | head -n 5 > missing
[ ! -s missing ] || fail "functions of the profile are not in the trace: $(cat missing)"

# The optimiser's profile, and code made from it.
LLVM_PROFILE_FILE=$PWD/generated/%m.profraw
build generated '-O2 -fprofile-generate'
traced generated
"$llvm_bin/llvm-profdata" merge -o generated.profdata generated/*.profraw
build used "-O2 -fprofile-use=$PWD/generated.profdata"
traced used
for file in demo libtokenize.so libcompress.so; do
	table_is_exact used/$file
done

# Cold blocks are separate, after the function or as functions that LLVM makes after the pass: their sleds stay
# dormant, because they are not calls.
build split "-O2 -fprofile-use=$PWD/generated.profdata -mllvm -hot-cold-split=true -fsplit-machine-functions"
traced split
for file in demo libtokenize.so libcompress.so; do
	sleds split/$file | cut -d ' ' -f 1 | sort -u > with_sleds
	table split/$file | cut -d ' ' -f 1 | sort > in_table
	comm -13 with_sleds in_table > no_sleds
	[ ! -s no_sleds ] || fail "split/$file: functions of the table have no sleds: $(cat no_sleds)"
	nm split/$file | sed -n 's/^0*\([0-9a-f]*\) .*\.cold.*/\1/p' | sort -u > cold
	comm -23 with_sleds in_table | comm -23 - cold > unknown
	[ ! -s unknown ] || fail "split/$file: functions with sleds are not in the table: $(cat unknown)"
done
nm split/libcompress.so | grep -q '\.cold' || fail "no function was split, so the test proves nothing"
cmp used.out split.out
"$spoor" report --format=csv --no-demangle split.trace | cut -d, -f1,3 | sort > split.calls
! grep '\.cold' split.calls || fail "parts of functions are shown as calls (see above)"
