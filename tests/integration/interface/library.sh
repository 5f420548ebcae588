#!/bin/sh
# SPDX-License-Identifier: MIT
# library.sh - checks the properties of libspoor.so and the stub that matter to programs: they need only libc, export
# only spoor's names, have no text relocations and no executable stack, cannot end the program, and use little
# thread-local storage. readelf shows the properties, and a program with the same names tests them.
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

# within WHAT LIST PATTERN - checks that each line of LIST matches PATTERN completely, and that LIST is not empty.
within()
{
	[ -s "$2" ] || fail "$1: the list is empty"
	! grep -vxE "$3" "$2" > unexpected || fail "$1: unexpected: $(tr '\n' ' ' < unexpected)"
}

# libspoor.so

readelf -dW "$library" > dynamic
sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' dynamic > needed
within "libspoor.so needs" needed 'libc\.so\.6|ld-linux[-a-z0-9_]*\.so\.[0-9]'
grep -qx 'libc\.so\.6' needed || fail "libspoor.so does not need libc.so.6: $(cat needed)"
! grep -E 'TEXTREL|RPATH|RUNPATH' dynamic || fail "libspoor.so has text relocations or a run path (see above)"
grep -q 'BIND_NOW' dynamic || fail "libspoor.so is bound lazily: no BIND_NOW"
grep -q 'NODELETE' dynamic || fail "libspoor.so can be unloaded: no NODELETE"

readelf -W --dyn-syms "$library" | awk '$1 ~ /^[0-9]+:$/ { print $4, $5, $6, $7, $8 }' > symbols
awk '$4 != "UND" && $2 != "LOCAL" { print $5 }' symbols > exported
within "libspoor.so exports" exported \
	'(spoor_|_spoor_runtime_)[A-Za-z0-9_]*@@SPOOR_[0-9.]+|SPOOR_[0-9.]+|__cyg_profile_func_[a-z_]*@@GLIBC_[0-9.]+|GLIBC_[0-9.]+'
for name in spoor_dso_register spoor_enable spoor_functions_enable spoor_set_handler __cyg_profile_func_enter \
	__cyg_profile_func_exit __cyg_profile_func_enter_bare; do
	grep -q "^$name@@" exported || fail "libspoor.so does not export $name"
done
# Symbols of libc, each with a version; weak ones may be missing.
awk '$4 == "UND" && $2 == "GLOBAL" && $5 != "" { print $5 }' symbols > wanted
within "libspoor.so asks for" wanted '[A-Za-z0-9_]+@GLIBC_[0-9.]+'

# The runtime does not end the program: only the code for the case that libc's last thread has ended calls exit.
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
[ "$(grep -c GNU_RELRO segments)" = 1 ] || fail "libspoor.so has no read-only relocated data: no GNU_RELRO"
tls=$(awk '$1 == "TLS" { print $6 }' segments)
[ $((${tls:-0})) -gt 0 ] && [ $((${tls:-0})) -le 512 ] ||
	fail "libspoor.so has $((${tls:-0})) bytes of thread-local storage, not 1 to 512"

# libspoor.so binds its own names locally: not through the linkage table, nor in another library. The exception is a
# name of libspoor_trap.so, which may be absent.
readelf -rW "$library" | awk '/^[0-9a-f]+ / { print $3, $5 }' > relocations
[ -s relocations ] || fail "libspoor.so has no relocations"
! grep -E '(^| )_?spoor_' relocations | grep -v ' spoor_trap_guard$' ||
	fail "another library can replace names of libspoor.so (see above)"
awk '{ print $1 }' relocations | sort -u > kinds
within "libspoor.so's relocations" kinds \
	'R_X86_64_(RELATIVE|GLOB_DAT|JUMP_SLOT|TPOFF64|64)|R_AARCH64_(RELATIVE|GLOB_DAT|JUMP_SLOT|TLS_TPREL(64)?)'

# libspoor.so does not call functions of a program that have the same names as its exports.
grep -o '^_*spoor_[A-Za-z0-9_]*' exported | grep -v '^spoor_enable$' > names
{
	echo '#include <stdlib.h>'
	while read -r name; do
		echo "void $name(void); void $name(void) { abort(); }"
	done < names
	echo 'long spoor_enable(void); int main(void) { return spoor_enable() < 0; }'
} > named_things.c
"$CC" -o names -Wl,--export-dynamic named_things.c "$library" -Wl,-rpath,"${library%/*}" -w
(cd "$work" && ./names) || fail "libspoor.so called the program's functions instead of its own: status $?"

# The stub, which is in every traced module.

mkdir objects
(cd objects && ar x "$stub")
for object in objects/*; do
	what=${object#objects/}
	readelf -sW "$object" | awk '$1 ~ /^[0-9]+:$/ && $5 != "LOCAL" { print $5, $6, $7, $8 }' > symbols
	awk '$3 != "UND" && $2 != "HIDDEN" { print $4 }' symbols > visible
	[ ! -s visible ] || fail "$what has visible names: $(tr '\n' ' ' < visible)"
	awk '$3 != "UND" { print $4 }' symbols > defined
	within "$what defines" defined 'spoor_dso_[a-z_]*'
	# The stub's undefined symbols are its own, the linker's, or weak.
	awk '$3 == "UND" && !($2 == "HIDDEN" || $1 == "WEAK") { print $4 }' symbols > wanted
	! grep -vx '_GLOBAL_OFFSET_TABLE_' wanted > unexpected ||
		fail "$what has undefined symbols: $(tr '\n' ' ' < unexpected)"
	# No absolute addresses in text or read-only data, which must work at any address.
	readelf -rW "$object" | awk '
		/^Relocation section/ { section = $3 }
		/^[0-9a-f]+ / && section ~ /\.(text|rodata|note|eh_frame)/ { print $3 }' > kinds
	! grep -E '^R_X86_64_(64|32|32S|16|8)$|^R_AARCH64_ABS' kinds ||
		fail "$what is not position-independent (see above)"
	readelf -SW "$object" > sections
	grep -q '\.note\.GNU-stack' sections || fail "$what has no .note.GNU-stack, so the stack would be executable"
	! grep -E '\.note\.GNU-stack.* X|\.t(bss|data)|\.gnu\.lto|\.interp' sections ||
		fail "$what has sections that a stub must not have (see above)"
	! file -b "$object" 2> /dev/null | grep -q bitcode || fail "$what is bitcode and must be machine code"
done
echo 'int f(void); int f(void) { return 0; }' > f.c
"$CC" -shared -fPIC -nostdlib -o f.so f.c -Wl,-u,spoor_dso_anchor "$stub" -Wl,-z,text -Wl,-z,defs 2> linked ||
	fail "the stub does not link without other libraries: $(cat linked)"
readelf -W --dyn-syms f.so | awk '$1 ~ /^[0-9]+:$/ && $7 != "UND" && $5 != "LOCAL" { print $8 }' > exported
within "a library with the stub exports" exported f
readelf -dW f.so > dynamic
! grep -E 'TEXTREL|NEEDED' dynamic || fail "the stub has text relocations or needs a library (see above)"

[ -z "$failed" ]
