#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_rules.sh - GCC's code with sleds computes the same as without, asleep and awake, at any level and with each
# option that changes how functions begin, end and call. Naked functions, resolvers and their like get no sleds, and the
# symbols say why. The table is exact, and callgrind counts the same calls. A profile of the plain program is used.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
work_folder gcc_rules
gccs=
for major in $(all_gccs); do
	[ -n "$gccs" ] && [ -z "${SPOOR_LONG-}" ] || gccs="$gccs $major"
done
[ -n "$gccs" ] || skip "GCC has no plugin here: apt-get install gcc-12-plugin-dev"

# The table, and the calls by callgrind, which does not know the processor's newest instructions. The short form
# has callgrind count, and takes C++, with the options that change the code most.
cat > flags << 'END'
-O0
-O1 -fno-omit-frame-pointer
-O2
-O2 -fno-pie -no-pie
-O2 -static-pie
-O2 -fcf-protection=full
-O2 -ffunction-sections -Wl,--gc-sections
-O3 -mavx2 -g3
-Os
-O2 -flto
END
# The output alone. The short form takes C++ only with the first option, which changes what exceptions pass.
cat > more_flags << 'END'
-O2 -fnon-call-exceptions -fstack-protector-all -fstack-clash-protection
-O3 -march=native
-O2 -mfunction-return=thunk -mindirect-branch=thunk
-O2 -mfunction-return=thunk-inline -mindirect-branch=thunk-inline
-O2 -mfunction-return=thunk-extern
-O2 -mharden-sls=all
-O2 -fsplit-stack -fuse-ld=gold
-O2 -pg
-O2 -pg -mfentry
-O2 -fno-plt
-O2 -mcmodel=medium -fno-pie -no-pie
-O2 -fpatchable-function-entry=4
-O2 -fprofile-arcs -ftest-coverage
-O2 -fsanitize=undefined
END
[ "$SPOOR_ARCH" = x86_64 ] || sed -i '/ -m/d; /-fsplit-stack/d; /-fcf-protection/d' flags more_flags
rules='-w -z execstack -Wl,--no-warn-execstack'

# build NAME FLAGS - builds NAME.plain and NAME.sleds.
build()
{
	case $1 in
	exceptions) compiler=$gxx driver=$spoor_gxx source=$gcc_programs/exceptions.cc ;;
	*) compiler=$gcc driver=$spoor_gcc source=$gcc_programs/rules.c ;;
	esac
	extern=
	# GCC 11 writes a message about the counts of GCC 12.
	rm -f ./*.gcda
	case $2 in
	*thunk-extern*)
		printf '\t.globl __x86_return_thunk\n__x86_return_thunk:\n\tret\n\t.section .note.GNU-stack,""\n' > thunk.s
		extern=thunk.s ;;
	esac
	"$compiler" $2 $rules "$source" $extern -o "$1.plain" 2> messages || fail "$1 $2: $(cat messages)"
	"$driver" $2 $rules "$source" $extern -o "$1.sleds" 2> messages || fail "$1 $2: $(cat messages)"
	[ ! -s messages ] || fail "$1 $2: messages appear: $(cat messages)"
}

# is_left_out OPTIONS - tells if the short form neither counts the calls with these options nor takes C++.
is_left_out()
{
	[ -z "${SPOOR_LONG-}" ] || return 1
	case $1 in
	-O0 | -Os | *-mavx2* | *-flto) return 1 ;;
	esac
}

# reasons_are_given OPTIONS - checks why functions of rules.sleds have no sleds.
reasons_are_given()
{
	"$spoor" symbols rules.sleds > symbols
	for reason in 'left_resolver.*(it resolves an ifunc)' 'left_naked.*(it is naked)' \
		'left_ms.*(its calling convention leaves no room for a sled)'; do
		case $SPOOR_ARCH-$reason in
		aarch64-left_[nm]*) ;;
		*) grep -q " no *$reason" symbols || fail "$1: the symbols do not say '$reason': $(grep left_ symbols)" ;;
		esac
	done
}

# uses_profile - builds with a profile that the plain program wrote.
uses_profile()
{
	"$gcc" -O2 $rules -fprofile-generate -c "$gcc_programs/rules.c" -o profiled.o
	"$gcc" -fprofile-generate $rules profiled.o -o rules.plain
	./rules.plain > plain.out
	[ -e profiled.gcda ] || fail "GCC $major: the program wrote no profile: $(ls)"
	"$spoor_gcc" -O2 ${rules#-w} -fprofile-use -Wmissing-profile -Wcoverage-mismatch -c "$gcc_programs/rules.c" -o profiled.o \
		2> messages
	! grep -i profile messages || fail "GCC $major: the profile is not used (see above)"
	"$spoor_gcc" $rules profiled.o -o rules.sleds
	runs_alike "GCC $major, with a profile" rules.plain rules.sleds
	rm -f profiled.gcda
}

for major in $gccs; do
	use_gcc "$major"
	while read -r options; do
		subjects='rules exceptions'
		! is_left_out "$options" || subjects=rules
		for subject in $subjects; do
			build $subject "$options"
			case $options in
			*-static-pie*)
				"./$subject.plain" > plain.out
				"./$subject.sleds" > sleds.out
				cmp plain.out sleds.out || fail "$subject, $options: the output differs (see above)"
				continue ;;
			esac
			runs_alike "GCC $major, $subject, $options" $subject.plain $subject.sleds
			table_is_exact $subject.sleds 14
			names $subject.sleds > have_sleds
			! grep -E '^left_|\.resolver$' have_sleds ||
				fail "$options: functions that must not have sleds have some (see above)"
			[ -n "$emulated" ] || is_left_out "$options" || ! command -v valgrind > /dev/null ||
				counts_agree "GCC $major, $subject, $options" $subject.sleds
			[ $subject = exceptions ] || reasons_are_given "$options"
			readelf -d $subject.sleds | grep TEXTREL && fail "$subject, $options: the tables made text relocations"
		done
	done < flags
	subjects='rules exceptions'
	while read -r options; do
		for subject in $subjects; do
			build $subject "$options"
			runs_alike "GCC $major, $subject, $options" $subject.plain $subject.sleds
			[ "$(names $subject.sleds | wc -l)" -ge 10 ] || case $options in
			*thunk-inline* | *split-stack* | *patchable*) ;;
			*) fail "$subject, $options: fewer than 10 functions have sleds" ;;
			esac
		done
		[ -n "${SPOOR_LONG-}" ] || subjects=rules
	done < more_flags
	uses_profile
done
