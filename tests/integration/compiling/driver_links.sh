#!/bin/sh
# SPDX-License-Identifier: MIT
# driver_links.sh - every executable and shared library that the drivers link has the stub once, and runs without
# libspoor.so; other files have no stub. No way to compile or link gives a warning that clang does not give.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder driver_links
use_llvm "$LLVM_MAJOR"
runtime=$top_builddir/libspoor/.libs

cat > part.c << 'END'
int part(int x) { return x * 2; }
END
cat > main.c << 'END'
int part(int x);
int main(void) { return part(21) != 42; }
END
cat > main.cc << 'END'
extern "C" int part(int x);
int main() { return part(21) != 42; }
END
cat > start.c << 'END'
int part(int x);
void _start(void)
{
	__asm__ volatile("syscall" : : "a"(60), "D"(part(21) != 42) : "rcx", "r11", "memory");
	__builtin_unreachable();
}
END
printf '\t.text\n\t.globl part\npart:\n\tlea (%%rdi,%%rdi),%%eax\n\tret\n\t.section .note.GNU-stack,"",@progbits\n' > asm.s
cp asm.s cpp.S
echo 'int part(int x);' > part.h

# quiet COMMAND - runs the command, which must succeed and print nothing.
quiet()
{
	"$@" > messages 2>&1 || fail "$* failed: $(cat messages)"
	[ ! -s messages ] || fail "$* printed: $(cat messages)"
}

# stubs FILE COUNT - checks the number of stubs, as symbols and as notes.
stubs()
{
	[ "$("$llvm_bin/llvm-nm" "$1" | grep -c ' spoor_dso_anchor$')" = "$2" ] ||
		fail "$1 does not have $2 stubs: $("$llvm_bin/llvm-nm" "$1" | grep spoor_dso)"
	[ "$("$llvm_bin/llvm-readelf" -nW "$1" | grep -c '^  *spoor ')" = "$2" ] ||
		fail "$1 does not have $2 notes of the stub: $("$llvm_bin/llvm-readelf" -nW "$1")"
	[ "$2" = 0 ] || ! "$llvm_bin/llvm-nm" "$1" | grep -q '[.]Lxray' ||
		fail "$1 has local labels of the assembler among its symbols"
	! "$llvm_bin/llvm-readelf" -dW "$1" | grep -q 'libspoor' || fail "$1 needs libspoor.so"
}

# Object files of every kind, one by one and several at once.
quiet "$driver_c" -Werror -Wall -Wextra -O2 -fPIC -c part.c
quiet "$driver_c" -Werror -c main.c start.c
quiet "$driver_c" -Werror -c asm.s cpp.S
quiet "$driver_c" -Werror -O1 -flto -c part.c -o lto.o
quiet "$driver_c" -Werror -S part.c -o part.s
quiet "$driver_c" -Werror -fno-integrated-as -c part.c -o gnu.o
quiet "$driver_c" -Werror -save-temps=obj -c part.c -o saved.o
quiet "$driver_c" -Werror -x c-header part.h -o part.pch
quiet "$driver_c" -Werror -include-pch part.pch -c part.c -o with_header.o
quiet "$driver_c" -Werror -fsyntax-only part.c
quiet "$driver_c" -Werror -M -MF deps part.c
for object in part.o main.o start.o asm.o gnu.o saved.o with_header.o; do
	stubs "$object" 0
done
[ "$("$llvm_bin/llvm-readelf" -SW saved.o | grep -c ' xray_instr_map ')" = 1 ] ||
	fail "saved.o does not have one sled map"
"$llvm_bin/llvm-readelf" -SW gnu.o | grep -q ' xray_instr_map ' || fail "gnu.o has no sleds"

# Programs and libraries, from sources and from objects.
for linker in bfd gold "$llvm_bin/ld.lld"; do
	name=${linker##*/}
	flags="-Werror -fuse-ld=$linker"
	quiet "$driver_c" $flags main.c part.c -o one_go.$name
	quiet "$driver_c" $flags main.o part.o -o objects.$name
	quiet "$driver_c" $flags main.o asm.o -o assembler.$name
	quiet "$driver_c" $flags main.c asm.s -o mixed.$name
	quiet "$driver_c" $flags main.c cpp.S -o preprocessed.$name
	quiet "$driver_cxx" $flags main.cc part.o -o cxx.$name
	quiet "$driver_c" $flags -no-pie main.o part.o -o no_pie.$name
	quiet "$driver_c" $flags -static main.o part.o -o static.$name
	# gold cannot make these.
	static_pie=-static-pie
	[ $name != gold ] || static_pie=-static
	quiet "$driver_c" $flags $static_pie main.o part.o -o static_pie.$name
	quiet "$driver_c" $flags -nostdlib -static start.o part.o -o nostdlib.$name
	quiet "$driver_c" $flags -flto main.o lto.o -o lto.$name
	quiet "$driver_c" $flags -Wl,--gc-sections main.o part.o -o collected.$name
	quiet "$driver_c" $flags -shared part.o -o libpart.$name.so
	quiet "$driver_c" $flags -shared -fPIC part.c -Wl,-z,defs -o libdefs.$name.so
	quiet "$driver_c" $flags main.o ./libpart.$name.so -o linked.$name
	quiet "$driver_c" $flags main.o part.o "$stub" -o twice_named.$name
	quiet "$driver_c" $flags main.o part.o -Wl,-u,spoor_dso_anchor "$stub" -o both_ways.$name
	for program in one_go objects assembler mixed preprocessed cxx no_pie static static_pie \
		nostdlib lto collected linked twice_named both_ways; do
		stubs $program.$name 1
		LD_LIBRARY_PATH=. ./$program.$name || fail "$program.$name ended with status $?"
	done
	stubs libpart.$name.so 1
	stubs libdefs.$name.so 1
	quiet "$driver_c" -fno-spoor $flags main.c part.c -o plain.$name
	stubs plain.$name 0

	# A link that makes an object file leaves the stub to the next link.
	quiet "$driver_c" $flags -r -nostdlib main.o part.o -o partial.$name.o
	stubs partial.$name.o 0
	quiet "$driver_c" $flags -nostdlib -no-pie -Wl,-r main.o part.o -o partial.$name.o
	stubs partial.$name.o 0
	quiet "$driver_c" $flags partial.$name.o -o from_partial.$name
	stubs from_partial.$name 1
	./from_partial.$name

	# The runtime is linked even if the linker drops unused libraries.
	quiet "$driver_c" $flags -fspoor-runtime -Wl,--as-needed main.o part.o -o runtime.$name
	"$llvm_bin/llvm-readelf" -dW runtime.$name | grep -q 'NEEDED.*libspoor\.so' ||
		fail "runtime.$name does not need libspoor.so"
	SPOOR_RUNTIME_MODE=off LD_LIBRARY_PATH=$runtime ./runtime.$name
done

# Links without objects of the plugin, or with only such objects.
quiet "$clang" main.o part.o -o by_clang
stubs by_clang 0
./by_clang
