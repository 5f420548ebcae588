#!/bin/sh
# SPDX-License-Identifier: MIT
# frames.sh - calls that an exception, longjmp, pthread_exit or cancellation leaves end where a function with sleds
# continues: the calls of each thread nest as the program itself recorded them. If the catching function has no sleds,
# the calls end when the next outer call returns, and the tools mark them. The short form takes LLVMs other than the
# configured one at -O2 and with ld.lld alone.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

# as_booked - prints "DEPTH NAME" for each call of a replay.
as_booked()
{
	awk '
		/^#/ || !/[;{]( |$)/ { next }
		{ text = substr($0, 14); sub(/ +#.*/, "", text); match(text, /[^ ]/)
		  level = (RSTART - 1) / 2; sub(/^ */, "", text); sub(/ [^ ]*[;{]?$/, "", text) }
		/[{]$/ { sub(/ [^ ]*$/, "", text) }
		{ if (text !~ /::/) sub(/\(.*/, "", text); print level, text }'
}

# nests TRACE - checks that the calls nest and that no tool repairs any.
nests()
{
	for book in book.*; do
		"$reader" replay --full-names --thread "${book#book.}" "$1" > replay
		! grep 'without returning\|still running\|not in the trace' replay ||
			fail "$1: spoor replay repaired calls (see above)"
		as_booked < replay > shown
		cmp -s "$book" shown ||
			fail "$1: the calls of the program (<) and of replay (>) differ:" \
				"$(diff "$book" shown | head -n 20)"
	done
	"$reader" report "$1" > report
	! grep 'without returning' report || fail "$1: spoor report repaired calls (see above)"
	"$reader" export --format=csv --flat "$1" > csv
	awk -F, '
		NR == 1 { next }
		{ kinds[$4]++ }
		$4 == "frame" && last != "entry" { print "a frame after " last; bad = 1 }
		$4 == "frame" || $4 == "unwind" { bad = bad || $5 != "" || $8 == "" }
		{ last = $4 }
		END { exit bad || !kinds["frame"] || !kinds["unwind"] }' csv ||
			fail "$1: frame and unwind rows of the CSV export are wrong (see above)"
	# trace_facts checks independently that each exit closes the innermost open call.
	facts "$1"
}

for llvm in 14 19 22; do
	llvm_bin=$(llvm-config-$llvm --bindir 2> /dev/null) || continue
	SPOOR_CC=$llvm_bin/clang
	[ -x "$SPOOR_CC" ] || continue
	export SPOOR_CC SPOOR_CXX="$SPOOR_CC++"
	for level in -O0 -O2 -Os "-O2 -flto=full" "-O2 -flto=thin"; do
		[ "$level" = -O2 ] || [ $llvm = "$LLVM_MAJOR" ] || [ -n "${SPOOR_LONG-}" ] || continue
		name=LLVM-$llvm$(echo "$level" | tr -d ' ')
		traced_cxx $level -fPIC -shared -fuse-ld=lld -o libframes.so "$victims/calls/frames_library.cc"
		"$SPOOR_DRIVERS/spoor-c++" -fno-spoor -O1 -fPIC -shared -DPLAIN -o libplain.so "$victims/calls/frames_library.cc"
		set -- "$victims/calls/frames.cc"
		case $llvm$level in
		14*thin) ;;	# imports no function with an entry sled of LLVM 14
		*lto*) set -- "$@" "$victims/calls/frames_inlined.cc" -DINLINED ;;
		esac
		traced_cxx $level -Wno-infinite-recursion -rdynamic -fuse-ld=lld -o frames "$@" -L. -lframes -lplain \
			-Wl,-rpath,'$ORIGIN' -pthread
		rm -f book.*
		./frames
		mkdir "$name"
		mv book.* "$name"
		traced "$name.trace" ./frames 2> err
		silent err
		equal "$name: books" "$(ls book.* | wc -l)" 13
		cat book.* | sort > books
		cat "$name"/book.* | sort | cmp - books ||
			fail "$name: the program's records differ when it is traced (see above)"
		nests "$name.trace"
		equal "$name: lost" "$(lost "$name.trace")" 0

		rm -f book.*
		traced "$name.plain" ./frames plain 2> err
		"$reader" replay --full-names "$name.plain" > replay
		equal "$name: repaired" "$(grep -c 'left without returning' replay)" 3
		as_booked < replay | tail -n 1 > shown
		equal "$name: after it" "$(cat shown)" "$(tail -n 1 book.*)"
	done
done

# A dormant program does nothing of this.
rm -f book.*
SPOOR_RUNTIME_MODE=off LD_PRELOAD=$libspoor ./frames
rm -f book.*

# path FILE FUNCTION - prints the instructions of the function without sleds, from its start to its return or to the
# jump to the return.
path()
{
	if [ "$SPOOR_ARCH" = aarch64 ]; then
		sed -n "/^$2:/,/^[[:space:]]*\(ret$\|b[[:space:]]*\.\)/p" "$1" | sed 's/[[:space:]]*\/\/.*//' |
			grep '^[[:space:]]*[a-z]' | grep -Ev '[[:space:]](b	#32|nop)$'
		return
	fi
	sed -n "/^$2:/,/^[[:space:]]*retq/p" "$1" |
		sed -n 's/[[:space:]]*#.*//; /\.LBB/d; s/^[[:space:]]*\([a-z][a-z0-9]*\)/\1/p' | grep -v '^nopw'
}

# The path without an exception has no additional instruction, not even a saved register.
for llvm in 14 19 22; do
	llvm_bin=$(llvm-config-$llvm --bindir 2> /dev/null) || continue
	SPOOR_CC=$llvm_bin/clang
	[ -x "$SPOOR_CC" ] || continue
	export SPOOR_CC SPOOR_CXX="$SPOOR_CC++"
	"$SPOOR_DRIVERS/spoor-c++" -fno-spoor -O2 -S -o plain.s "$victims/calls/frames_paths.cc"
	"$SPOOR_DRIVERS/spoor-c++" -O2 -S -o marked.s "$victims/calls/frames_paths.cc"
	for function in _Z11catches_onei _Z10cleans_onei; do
		path plain.s $function > plain.path
		path marked.s $function > marked.path
		[ "$(wc -l < plain.path)" -ge 4 ] || fail "the path of $function cannot be read: $(cat plain.path)"
		cmp -s plain.path marked.path ||
			fail "LLVM $llvm, $function: the paths without (<) and with spoor (>) differ:" \
				"$(diff plain.path marked.path)"
	done
	grep -q 'spoor_dso_unwound' marked.s || fail "LLVM $llvm: the code has no marks of landing pads"

	# Without a stub the marks call nothing.
	for kind in "-fPIE -pie" "-fno-pie -no-pie" "-fno-pie -static" "-O2 -flto -fPIE -pie"; do
		for linker in bfd gold lld; do
			case $kind in
			*lto*) [ $linker = lld ] || continue ;;
			esac
			[ $linker = lld ] || [ $llvm = "$LLVM_MAJOR" ] || [ -n "${SPOOR_LONG-}" ] || continue
			"$SPOOR_DRIVERS/spoor-c++" $kind -DMAIN -c -o stubless.o "$victims/calls/frames_paths.cc" 2> messages
			"$SPOOR_DRIVERS/spoor-c++" -fno-spoor $kind -fuse-ld=$linker -o stubless stubless.o 2> messages ||
				fail "LLVM $llvm, $kind, $linker: linking without a stub failed: $(cat messages)"
			./stubless ||
				fail "LLVM $llvm, $kind, $linker: the program without a stub ended with status $?"
		done
	done
done
