#!/bin/sh
# SPDX-License-Identifier: MIT
# stub_links.sh - programs and libraries of every kind register and are traced exactly: position-independent or not,
# by each linker, with and without LTO, with unused sections collected, with and without a build-id. Static programs
# stay dormant. Without libspoor.so all run as usual.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

plain two "$victims/modules/loaded.c"
./two 10 > wanted

long_path=

# links WHAT FLAG... - builds the library and a program with it; both are traced.
links()
{
	what=$1
	shift
	library_flags=
	# Flags for the kind of executable do not apply to the library.
	for flag in "$@"; do
		case $flag in
		-pie | -no-pie | -fPIE | -fno-pie) ;;
		*) library_flags="$library_flags $flag" ;;
		esac
	done
	rm -rf built trace
	mkdir built
	# shellcheck disable=SC2086
	traced_cc $library_flags -fPIC -shared -o built/libloaded.so "$victims/modules/loaded.c" 2> built/library.log ||
		fail "$what: the library does not build: $(cat built/library.log)"
	traced_cc "$@" -o built/two "$victims/modules/two.c" -Lbuilt -lloaded -Wl,-rpath,"$work/built" 2> built/two.log ||
		fail "$what: the program does not build: $(cat built/two.log)"
	[ -z "$long_path" ] || patchelf --set-rpath "$long_path:$work/built" built/two
	built/two 10 > built/dormant || fail "$what: the dormant program ended with status $?"
	cmp -s wanted built/dormant ||
		fail "$what: the output of the dormant program differs: $(diff wanted built/dormant)"
	traced trace built/two 10 > built/traced 2> built/err ||
		fail "$what: the traced program ended with status $?: $(cat built/err)"
	cmp -s wanted built/traced ||
		fail "$what: the output of the traced program differs: $(diff wanted built/traced)"
	silent built/err
	facts trace
	calls_are trace leaf 10 two
	calls_are trace main 1 two
	calls_are trace loaded_value 10 libloaded.so
	calls_are trace loaded_calls 1 libloaded.so
	equal "$what: sleds without a stub" "$(count trace foreign)" 0
	equal "$what: skipped sleds" "$(count trace alone)" 0
}

# stays_dormant WHAT FLAG... - builds one program of all sources, which must stay dormant.
stays_dormant()
{
	what=$1
	shift
	rm -rf trace dormant
	traced_cc "$@" -o dormant "$victims/modules/two.c" "$victims/modules/loaded.c" 2> dormant.log ||
		fail "$what: the program does not build: $(cat dormant.log)"
	traced trace ./dormant 10 > dormant.out 2> dormant.err ||
		fail "$what: the program ended with status $?: $(cat dormant.err)"
	cmp -s wanted dormant.out || fail "$what: the output differs: $(diff wanted dormant.out)"
	silent dormant.err
	[ ! -e trace ] || fail "$what: the program was traced: $(ls trace)"
}

for linker in bfd gold lld; do
	for kind in '-pie -fPIE' '-no-pie -fno-pie'; do
		# shellcheck disable=SC2086
		links "$linker $kind" -fuse-ld=$linker $kind
	done
	links "$linker collected, no build-id" -fuse-ld=$linker -ffunction-sections -Wl,--gc-sections -Wl,--build-id=none
	for lto in thin full; do
		links "$linker $lto" -fuse-ld=$linker -flto=$lto
		[ -z "${SPOOR_LONG-}" ] ||
			links "$linker $lto no-pie collected" -fuse-ld=$linker -flto=$lto -no-pie -fno-pie \
				-ffunction-sections -Wl,--gc-sections -Wl,--build-id=none
	done
	stays_dormant "$linker -static" -fuse-ld=$linker -static
	# Programs of this kind from gold do not run, with or without sleds.
	[ $linker = gold ] || stays_dormant "$linker -static-pie" -fuse-ld=$linker -static-pie
done
links "read-only relocations" -Wl,-z,relro,-z,now

# Executables whose weak references are always null.
for linker in bfd lld; do
	links "$linker: no weak references" -fuse-ld=$linker -Wl,-z,nodynamic-undefined-weak
done
if command -v mold > /dev/null; then
	links mold -fuse-ld=mold
	links "mold -no-pie" -fuse-ld=mold -no-pie -fno-pie
	stays_dormant "mold -static" -fuse-ld=mold -static
fi

# A tool that inserts space at the start of a program moves the addresses to which its stub was linked.
if command -v patchelf > /dev/null; then
	long_path=/$(printf 'nowhere%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
	links "patchelf -no-pie" -no-pie -fno-pie
	links "patchelf -pie" -pie -fPIE
	long_path=
fi

# The plugins for other compilers, with a plain command line.
[ -n "${SPOOR_LONG-}" ] || exit 0
for other in 14 19; do
	plugin=$top_builddir/pass/llvm-$other/.libs/libspoor_instrumentation.so
	[ -e "$plugin" ] || continue
	traced_cc()
	{
		"/usr/lib/llvm-$other/bin/clang" -O2 -g -fpass-plugin="$plugin" "$@" -Wl,-u,spoor_dso_anchor "$stub"
	}
	for linker in bfd gold "lld-$other"; do
		for kind in '-pie -fPIE' '-no-pie -fno-pie' '-ffunction-sections -Wl,--gc-sections -Wl,--build-id=none'; do
			# shellcheck disable=SC2086
			links "clang-$other $linker $kind" --ld-path="/usr/bin/ld.$linker" $kind
		done
		stays_dormant "clang-$other $linker -static" --ld-path="/usr/bin/ld.$linker" -static
	done
	for lto in thin full; do
		links "clang-$other $lto" --ld-path="/usr/bin/ld.lld-$other" -flto=$lto
	done
done
