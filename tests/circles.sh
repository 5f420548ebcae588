#!/bin/sh
# SPDX-License-Identifier: MIT
# circles.sh - no circle of more than five files: reads which object file of the runtime refers to which other one, by
# function or by variable, and finds the files that reach each other.
#
# Calls through pointers are not counted: by these, lower files call what upper ones have registered.
set -eu

name=circles
most=5
work=$top_builddir/tests/work/$name
archive=$top_builddir/libspoor/.libs/libruntime.a
rm -rf "$work"
mkdir -p "$work"

fail()
{
	echo "$name: $*" >&2
	exit 1
}

# symbols - lines "FILE d CODE SYMBOL" for each symbol that a file defines, and "FILE u - SYMBOL" for
# each symbol that it uses.
symbols()
{
	${NM:-nm} -A "$archive" | awk '
		{
			file = $1
			sub(/:[0-9a-f]*$/, "", file)	# nm may print the value without a blank
			sub(/.*:/, "", file)
			sub(/\.o$/, "", file)
			sub(/^.*_la-/, "", file)
			kind = $(NF - 1)
			if (kind ~ /^[Uwv]$/)
				print file, "u", "-", $NF
			else if (kind ~ /^[A-Z]$/)
				print file, "d", kind ~ /^[TW]$/ ? "code" : "data", $NF
		}'
}

# circles FILE - says how many files and pairs of them there are, and names each circle; the last line is the size of
# the biggest one.
circles()
{
	awk '
		!($1 in number) { number[$1] = ++files; file[files] = $1 }
		$2 == "d" { owner[$4] = $1; kind[$4] = $3 }
		$2 == "u" { user[++uses] = $1; used[uses] = $4 }
		END {
			for (i = 1; i <= uses; i++) {
				symbol = used[i]
				if (!(symbol in owner) || owner[symbol] == user[i])
					continue
				a = number[user[i]]
				b = number[owner[symbol]]
				symbols[kind[symbol]]++
				pairs += !((a, b) in reach)
				reach[a, b] = 1
			}
			for (k = 1; k <= files; k++)
				for (i = 1; i <= files; i++)
					if ((i, k) in reach)
						for (j = 1; j <= files; j++)
							if ((k, j) in reach)
								reach[i, j] = 1
			printf "%d files, %d pairs of which one refers to the other, by %d functions and %d variables\n", files, pairs,
				symbols["code"], symbols["data"]
			biggest = 1
			for (i = 1; i <= files; i++) {
				if (i in seen)
					continue
				size = 1
				names = file[i]
				for (j = i + 1; j <= files; j++)
					if (((i, j) in reach) && ((j, i) in reach)) {
						seen[j]
						size++
						names = names ", " file[j]
					}
				if (size > 1)
					printf "a circle of %d: %s\n", size, names
				if (size > biggest)
					biggest = size
			}
			print biggest
		}' "$1"
}

[ -f "$archive" ] || fail "$archive does not exist: build libspoor first"
symbols > "$work/symbols"
circles "$work/symbols" > "$work/circles"
files=$(awk '{ print $1 }' "$work/symbols" | sort -u)
for file in $files; do
	[ -n "$(find "$top_srcdir/libspoor" "$top_srcdir/trampolines" -name "$file.[cS]")" ] ||
		fail "$file is in the archive, and in no folder of the source"
done
for folder in base format text elf config event drain patch module probe mode trace handler api; do
	found=
	for source in "$top_srcdir/libspoor/$folder"/*.c; do
		source=${source##*/}
		! echo "$files" | grep -qx "${source%.c}" || found=yes
	done
	[ -n "$found" ] || fail "the archive has no file of libspoor/$folder/"
done
sed '$d' "$work/circles"
biggest=$(tail -n 1 "$work/circles")

# A circle that is planted is found: six files, each of which refers to the next one.
set -- $(echo "$files" | head -n $((most + 1)))
first=$1
{
	cat "$work/symbols"
	while [ $# -gt 0 ]; do
		echo "$1 d data planted_$1"
		echo "$1 u - planted_${2:-$first}"
		shift
	done
} > "$work/planted"
planted=$(circles "$work/planted" | tail -n 1)
[ "$planted" -gt "$most" ] || fail "a planted circle of $((most + 1)) files is not found"

[ "$biggest" -le "$most" ] || fail "the biggest circle has $biggest files, $most at most are allowed: $(grep "of $biggest:" "$work/circles")"
echo "the biggest circle has $biggest files, of $most that are allowed"
rm -rf "$work"
