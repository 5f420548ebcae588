#!/bin/sh
# SPDX-License-Identifier: MIT
# library.sh - what strangers' programs get with libspoor.so and with the stub: no library
# but libc, no names but ours, no text that changes, no stack that is executable, no way to
# end them, little thread-local storage. readelf says so; a name that another library has as well shows it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
library=$top_builddir/libspoor/.libs/libspoor.so
stub=$top_builddir/libspoor_dso/libspoor_dso.a
export LC_ALL=C
failed=

fail()
{
	echo "library: $*" >&2
	failed=1
}

# within WHAT LIST PATTERN: no line of LIST but what matches PATTERN as a whole; and one at least.
within()
{
	[ -s "$2" ] || fail "$1: nothing was found"
	! grep -vxE "$3" "$2" > unexpected || fail "$1: $(tr '\n' ' ' < unexpected)"
}

# libspoor.so

readelf -dW "$library" > dynamic
sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' dynamic > needed
within "libspoor.so needs" needed 'libc\.so\.6|ld-linux[-a-z0-9_]*\.so\.[0-9]'
grep -qx 'libc\.so\.6' needed || fail "libspoor.so does not need libc.so.6"
! grep -E 'TEXTREL|RPATH|RUNPATH' dynamic || fail "libspoor.so has relocations in its text, or a path"
grep -q 'BIND_NOW' dynamic || fail "libspoor.so is not bound at once"
grep -q 'NODELETE' dynamic || fail "libspoor.so can be unloaded"

readelf -W --dyn-syms "$library" | awk '$1 ~ /^[0-9]+:$/ { print $4, $5, $6, $7, $8 }' > symbols
awk '$4 != "UND" && $2 != "LOCAL" { print $5 }' symbols > exported
within "libspoor.so exports" exported \
	'(spoor_|_spoor_runtime_)[A-Za-z0-9_]*@@SPOOR_[0-9.]+|SPOOR_[0-9.]+|__cyg_profile_func_[a-z_]*@@GLIBC_[0-9.]+|GLIBC_[0-9.]+'
for name in spoor_dso_register spoor_enable spoor_functions_enable spoor_set_handler __cyg_profile_func_enter \
	__cyg_profile_func_exit __cyg_profile_func_enter_bare; do
	grep -q "^$name@@" exported || fail "libspoor.so does not export $name"
done
# Of libc's, each by its version; weak ones may be missing.
awk '$4 == "UND" && $2 == "GLOBAL" && $5 != "" { print $5 }' symbols > wanted
within "libspoor.so asks for" wanted '[A-Za-z0-9_]+@GLIBC_[0-9.]+'

# Nobody ends the program: what libc does after its last thread alone calls exit.
if command -v objdump > /dev/null && ! nm -D "$library" | grep -q ' U __[at]san_init\| U __ubsan'; then
	objdump -d --no-show-raw-insn "$library" > code
	awk '/^[0-9a-f]+ <.*>:$/ { from = $2; gsub(/[<>:]/, "", from) }
		/<(exit|_exit|_Exit|quick_exit|abort|raise|pthread_kill|pthread_exit|__assert_fail)@plt>/ && from !~ /@plt$/ {
			to = $NF; gsub(/[<>]/, "", to); print from, to }' code | sort -u > ends
	within "libspoor.so ends the program in" ends 'end_program exit@plt'
fi

readelf -lW "$library" > segments
awk '$1 == "GNU_STACK" { print $7 }' segments > stack
within "libspoor.so's stack" stack RW
awk '$1 == "LOAD" { flags = $7; for (i = 8; i < NF; i++) flags = flags $i; print flags }' segments > loaded
within "libspoor.so's segments" loaded 'R|RE|RW'
[ "$(grep -c GNU_RELRO segments)" = 1 ] || fail "libspoor.so's relocated data can be written to"
tls=$(awk '$1 == "TLS" { print $6 }' segments)
[ $((${tls:-0})) -gt 0 ] && [ $((${tls:-0})) -le 512 ] || fail "libspoor.so has $((${tls:-0})) bytes of TLS, not 1 to 512"

# None of its own names is looked up: not through the linkage table, nor in another library. One
# is libspoor_trap.so's, if that is there.
readelf -rW "$library" | awk '/^[0-9a-f]+ / { print $3, $5 }' > relocations
[ -s relocations ] || fail "libspoor.so has no relocations"
! grep -E '(^| )_?spoor_' relocations | grep -v ' spoor_trap_guard$' || fail "names of libspoor.so's own can be replaced"
awk '{ print $1 }' relocations | sort -u > kinds
within "libspoor.so's relocations" kinds \
	'R_X86_64_(RELATIVE|GLOB_DAT|JUMP_SLOT|TPOFF64|64)|R_AARCH64_(RELATIVE|GLOB_DAT|JUMP_SLOT|TLS_TPREL(64)?)'

# A program with a function of each name that we export is not called by us.
grep -o '^_*spoor_[A-Za-z0-9_]*' exported | grep -v '^spoor_enable$' > names
{
	echo '#include <stdlib.h>'
	while read -r name; do
		echo "void $name(void); void $name(void) { abort(); }"
	done < names
	echo 'long spoor_enable(void); int main(void) { return spoor_enable() < 0; }'
} > named_things.c
"$CC" -o names -Wl,--export-dynamic named_things.c "$library" -Wl,-rpath,"${library%/*}" -w
(cd "$work" && ./names) || fail "a program's own functions are called in the place of ours: status $?"

# The stub: in every traced module.

mkdir objects
(cd objects && ar x "$stub")
for object in objects/*; do
	what=${object#objects/}
	readelf -sW "$object" | awk '$1 ~ /^[0-9]+:$/ && $5 != "LOCAL" { print $5, $6, $7, $8 }' > symbols
	awk '$3 != "UND" && $2 != "HIDDEN" { print $4 }' symbols > visible
	[ ! -s visible ] || fail "$what defines for all to see: $(tr '\n' ' ' < visible)"
	awk '$3 != "UND" { print $4 }' symbols > defined
	within "$what defines" defined 'spoor_dso_[a-z_]*'
	# What it asks for is its own, the linker's, or may be missing.
	awk '$3 == "UND" && !($2 == "HIDDEN" || $1 == "WEAK") { print $4 }' symbols > wanted
	! grep -vx '_GLOBAL_OFFSET_TABLE_' wanted > unexpected || fail "$what asks for: $(tr '\n' ' ' < unexpected)"
	# Nothing absolute in text or read-only data: those could not be mapped anywhere.
	readelf -rW "$object" | awk '
		/^Relocation section/ { section = $3 }
		/^[0-9a-f]+ / && section ~ /\.(text|rodata|note|eh_frame)/ { print $3 }' > kinds
	! grep -E '^R_X86_64_(64|32|32S|16|8)$|^R_AARCH64_ABS' kinds || fail "$what is not position-independent"
	readelf -SW "$object" > sections
	grep -q '\.note\.GNU-stack' sections || fail "$what does not say that it needs no executable stack"
	! grep -E '\.note\.GNU-stack.* X|\.t(bss|data)|\.gnu\.lto|\.interp' sections ||
		fail "$what has sections that no stub may have"
	! file -b "$object" 2> /dev/null | grep -q bitcode || fail "$what is bitcode"
done
echo 'int f(void); int f(void) { return 0; }' > f.c
"$CC" -shared -fPIC -nostdlib -o f.so f.c -Wl,-u,spoor_dso_anchor "$stub" -Wl,-z,text -Wl,-z,defs 2> linked ||
	fail "the stub does not link alone: $(cat linked)"
readelf -W --dyn-syms f.so | awk '$1 ~ /^[0-9]+:$/ && $7 != "UND" && $5 != "LOCAL" { print $8 }' > exported
within "a library with the stub exports" exported f
readelf -dW f.so > dynamic
! grep -E 'TEXTREL|NEEDED' dynamic || fail "the stub changes text or brings a library"

[ -z "$failed" ]
