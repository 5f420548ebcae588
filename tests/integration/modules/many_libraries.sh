#!/bin/sh
# SPDX-License-Identifier: MIT
# many_libraries.sh - 300 libraries with functions of the same names are loaded at the same time, and each has exactly
# its own calls. The IDs of functions do not depend on the order of loading. Two libraries with the same file name
# stay distinct.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

count=300
ld=ld
[ -z "$emulated" ] || ld=$SPOOR_ARCH-linux-gnu-ld
program many_libraries
# One object file, linked with a different build-id for each library, as the driver links it.
traced_cc -fPIC -c -o loaded.o "$victims/modules/loaded.c"
libraries=
for number in $(seq $count); do
	"$ld" -shared -soname lib$number.so --build-id="$(printf '0x%08x' "$number")" -o lib$number.so loaded.o \
		-u spoor_dso_anchor "$stub"
	libraries="$libraries ./lib$number.so"
done
# lib1.so is called once, lib2.so twice, and so on.
for number in $(seq $count); do
	printf 'lib%d.so\tloaded_calls\t1\nlib%d.so\tloaded_value\t%d\n' "$number" "$number" "$number"
done | LC_ALL=C sort > wanted

# ids TRACE - prints library, function and ID.
ids()
{
	"$top_builddir/tools/spoor" export --format=csv --flat "$1" | awk -F, '$4 == "entry" { print $6, $5, $7 }' | LC_ALL=C sort -u
}

for order in '' -b; do
	# shellcheck disable=SC2086
	traced "trace$order" ./many_libraries $order $libraries 2> err ||
		fail "the program ended with status $?: $(cat err)"
	silent err
	facts "trace$order"
	equal "modules" "$(count "trace$order" module)" $count
	equal "lost" "$(lost "trace$order")" 0
	awk -F'\t' '$1 == "function" { sub(/.*\//, "", $3); print $3 "\t" $4 "\t" $5 }' "trace$order.facts" |
		LC_ALL=C sort | cmp - wanted || fail "trace$order: calls belong to the wrong library (see above)"
	"$top_builddir/tools/spoor" report --format=csv "trace$order" |
		awk -F, 'NR > 1 { print $2 "\t" $1 "\t" $3 }' | LC_ALL=C sort | cmp - wanted ||
			fail "trace$order: the report has calls of the wrong library (see above)"
	ids "trace$order" > "ids$order"
done
equal "IDs" "$(cut -d' ' -f3 ids | sort -u | wc -l)" $((2 * count))
cmp ids ids-b || fail "the IDs of functions depend on the order of loading: $(diff ids ids-b | head -n 4)"

# Two libraries with the same file name and soname.
mkdir one two
traced_cc -fPIC -shared -Wl,-soname,libsame.so -o one/libsame.so "$victims/modules/loaded.c"
traced_cc -O1 -fPIC -shared -DVALUE=1 -Wl,-soname,libsame.so -Wl,--build-id=0x1234 -o two/libsame.so "$victims/modules/loaded.c"
traced same ./many_libraries one/libsame.so ./lib1.so two/libsame.so 2> err ||
	fail "libsame.so: the program ended with status $?: $(cat err)"
silent err
facts same
equal "libsame.so" "$(awk -F'\t' -v work="$work/" '$1 == "module" { print index($3, work) == 1 ? substr($3, length(work) + 1) : $3 }' same.facts | sort | tr '\n' ' ')" \
	"lib1.so one/libsame.so two/libsame.so "
equal "libsame.so: calls" "$(awk -F'\t' '$1 == "function" && $4 == "loaded_value" { print $5 }' same.facts | sort | tr '\n' ' ')" "1 2 3 "
