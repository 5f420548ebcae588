#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_languages.sh - programs in Fortran, D and Ada, compiled by GCC with sleds, print the same as uninstrumented, asleep
# and awake, and the trace has the calls of each function that callgrind counts. A program whose objects come from
# clang, GCC, gfortran, gdc, rustc and GNAT is one call tree.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
work_folder gcc_languages
use_newest_gcc
[ -z "$emulated" ] || skip "the other languages have no cross compilers here"
command -v valgrind > /dev/null || skip "apt-get install valgrind"
missing=

# has COMPILER PROGRAM PACKAGE - tells if a compiler of the newest GCC exists.
has()
{
	[ -x "$("$1" -print-prog-name="$2" 2> none)" ] && return 0
	missing="$missing $3"
	return 1
}

# agrees WHAT FEWEST PLAIN PROGRAM - compares the runs, and counts calls of at least FEWEST functions.
agrees()
{
	runs_alike "$1" "$3" "$4"
	table_is_exact "$4" "$2" 1
	counts_agree "$1" "$4"
	[ "$(wc -l < with_sleds)" -ge "$2" ] || fail "$1: fewer than $2 functions have sleds: $(cat with_sleds)"
	"$spoor" replay "$4.trace" > tree
	! grep -q '?' tree || fail "$1: the tree has repaired calls: $(grep '?' tree)"
}

SPOOR_GFORTRAN=gfortran-$newest SPOOR_GDC=gdc-$newest
export SPOOR_GFORTRAN SPOOR_GDC

# fortran LEVEL, d LEVEL, ada LEVEL - build a program of this language at the level, and compare it.
fortran()
{
	has "gfortran-$newest" f951 "gfortran-$newest" || return 0
	"gfortran-$newest" "$1" -fopenmp -w "$gcc_programs/matrices.f90" -o fortran.plain
	"$gcc_drivers/spoor-gfortran" "$1" -fopenmp -w "$gcc_programs/matrices.f90" -o fortran
	agrees "Fortran, $1" 8 fortran.plain fortran
}

d()
{
	has "gdc-$newest" d21 "gdc-$newest" || return 0
	"gdc-$newest" "$1" "$gcc_programs/tickets.d" -o d.plain
	"$gcc_drivers/spoor-gdc" "$1" "$gcc_programs/tickets.d" -o d
	agrees "D, $1" 15 d.plain d
}

ada()
{
	has "gcc-$newest" gnat1 "gnat-$newest" || return 0
	rm -f parcels.o parcels.ali
	"gnatmake-$newest" -q "$1" "$gcc_programs/parcels.adb" -o ada.plain
	rm -f parcels.o parcels.ali
	SPOOR_GNATMAKE=gnatmake-$newest "$gcc_drivers/spoor-gnat" -q "$1" "$gcc_programs/parcels.adb" -o ada
	agrees "Ada, $1" 40 ada.plain ada
}

# The short form takes each language at one level.
[ -n "${SPOOR_LONG-}" ] || { fortran -O2; d -O0; ada -O0; }
for level in ${SPOOR_LONG:+-O0 -O1 -O2 -O3 -Os}; do
	fortran "$level"
	d "$level"
	ada "$level"
done
[ -z "$missing" ] || skip "these are missing:$missing (the tests of other languages passed)"

# Each function adds a digit, and calls the next one, of another compiler.
cat > main.c << 'END'
#include <stdio.h>
int from_gcc(int x);
void adainit(void);
int main(void)
{
	adainit();
	printf("%d\n", from_gcc(1));
	return 0;
}
END
echo 'int from_cxx(int x); int from_gcc(int x) { return from_cxx(10 * x + 2) + 1; }' > gcc.c
cat > cxx.cc << 'END'
extern "C" int from_fortran(int x);
extern "C" int from_cxx(int x) { return from_fortran(10 * x + 3) + 1; }
END
cat > fortran.f90 << 'END'
function from_fortran(x) result(r) bind(c)
  use iso_c_binding
  interface
    function from_d(x) bind(c)
      import :: c_int
      integer(c_int), value :: x
      integer(c_int) :: from_d
    end function
  end interface
  integer(c_int), value :: x
  integer(c_int) :: r
  r = from_d(10 * x + 4) + 1
end function
END
cat > d.d << 'END'
extern (C) int from_rust(int x);
extern (C) int from_d(int x) { return from_rust(10 * x + 5) + 1; }
END
cat > rust_part.rs << 'END'
extern "C" {
    fn from_ada(x: i32) -> i32;
}
#[no_mangle]
pub extern "C" fn from_rust(x: i32) -> i32 {
    unsafe { from_ada(10 * x + 6) + 1 }
}
END
cat > ada_part.ads << 'END'
package Ada_Part is
   function From_Ada (X : Integer) return Integer with Export, Convention => C, External_Name => "from_ada";
end Ada_Part;
END
cat > ada_part.adb << 'END'
package body Ada_Part is
   function From_Ada (X : Integer) return Integer is (10 * X + 7);
end Ada_Part;
END
"$driver_c" -O1 -c main.c -o main.o
"$spoor_gcc" -O1 -c gcc.c -o gcc.o
"$spoor_gxx" -O1 -c cxx.cc -o cxx.o
"$gcc_drivers/spoor-gfortran" -O1 -c fortran.f90 -o fortran.o
"$gcc_drivers/spoor-gdc" -O1 -fno-druntime -c d.d -o d.o
SPOOR_GNATMAKE=gnatmake-$newest "$gcc_drivers/spoor-gnat" -q -c -O1 ada_part.adb
"gnatbind-$newest" -n ada_part.ali
"$spoor_gcc" -c b~ada_part.adb
# lld makes code of Rust's bitcode, with the plugin; a C compiler takes rustc's place where it has another LLVM.
if command -v rustc > /dev/null && rustc --version -v | grep -q "LLVM version: $LLVM_MAJOR"; then
	rustc -A warnings -C opt-level=1 -C panic=abort -C linker-plugin-lto --crate-type=staticlib rust_part.rs -o rust_part.a
	set -- "$driver_cxx" -fuse-ld="$llvm_bin/ld.lld" -Wl,--load-pass-plugin="$plugin"
else
	echo 'int from_ada(int x); int from_rust(int x) { return from_ada(10 * x + 6) + 1; }' > rust_part.c
	"$driver_c" -O1 -c rust_part.c -o rust_part.a
	set -- "$spoor_gxx"
fi
"$@" main.o gcc.o cxx.o fortran.o d.o rust_part.a ada_part.o b~ada_part.o \
	-L"$(dirname "$("$gcc" -print-file-name=adalib/libgnat.a)")" -lgnat-$newest -lgfortran -ldl -o mixed
table_is_exact mixed 8
[ "$(./mixed)" = 1234572 ] || fail "the mixed program prints $(./mixed)"
rm -rf mixed.trace
[ "$(SPOOR_RUNTIME_TRACE_PATH=mixed.trace LD_PRELOAD=$libspoor ./mixed)" = 1234572 ] || fail "the mixed program prints other numbers when traced"
"$spoor" replay mixed.trace > tree
sed -n '/}/!s/.*\(main\|from_[a-z]*\)() mixed.*/\1/p' tree | tr '\n' ' ' > order
[ "$(cat order)" = 'main from_gcc from_cxx from_fortran from_d from_rust from_ada ' ] ||
	fail "the calls of the mixed program are not one tree: $(cat tree)"
! grep -q '?' tree || fail "the tree of the mixed program has repaired calls: $(cat tree)"
