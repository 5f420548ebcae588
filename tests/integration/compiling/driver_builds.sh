#!/bin/sh
# SPDX-License-Identifier: MIT
# driver_builds.sh - ordinary projects build with the drivers as their compilers, outside of the source folder: plain
# make, CMake, autotools with libtool. Their configure tests have the same results as with clang, and the linked files
# are instrumented.
set -eu
# The builds must not use the jobs of the make that runs the tests.
unset MAKEFLAGS MFLAGS MAKELEVEL
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder driver_builds
use_llvm "$LLVM_MAJOR"
mkdir source
cd source

cat > part.c << 'END'
int part(int x) { return x * 2; }
END
cat > other.cc << 'END'
#include <string>
extern "C" int part(int x);
int other(int x) { return part(x) + std::string("abc").size(); }
END
cat > main.cc << 'END'
int other(int x);
int main() { return other(20) != 43; }
END
cat > Makefile.plain << 'END'
S = ../source
program: main.o libother.so
	$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ main.o -L. -lother -Wl,-rpath,'$$ORIGIN'
libother.so: other.o libpart.a
	$(CXX) $(CXXFLAGS) $(LDFLAGS) -shared -o $@ other.o libpart.a
libpart.a: part.o
	$(AR) rc $@ $?
%.o: $S/%.c
	$(CC) $(CFLAGS) -fPIC -c $< -o $@
%.o: $S/%.cc
	$(CXX) $(CXXFLAGS) -fPIC -c $< -o $@
END
cat > CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.20)
project(builds C CXX)
include(CheckCCompilerFlag)
include(CheckSymbolExists)
include(CheckIPOSupported)
check_c_compiler_flag(-Wall HAVE_WALL)
check_c_compiler_flag(-Wnonsense-that-is-not HAVE_NONSENSE)
check_symbol_exists(strdup string.h HAVE_STRDUP)
check_symbol_exists(no_such_thing string.h HAVE_NO_SUCH_THING)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_library(part STATIC part.c)
add_library(other SHARED other.cc)
target_link_libraries(other PRIVATE part)
add_executable(program main.cc)
target_link_libraries(program PRIVATE other)
END
cat > configure.ac << 'END'
AC_INIT([builds], [1])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_PROG_CC
AC_PROG_CXX
AM_PROG_AR
LT_INIT
AC_LANG([C])
AC_CHECK_FUNCS([strdup no_such_function])
AC_CHECK_HEADERS([stdlib.h no_such_header.h])
AC_CHECK_SIZEOF([long])
AC_C_BIGENDIAN
AC_CONFIG_HEADERS([config.h])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat > Makefile.am << 'END'
bin_PROGRAMS = program
lib_LTLIBRARIES = libother.la
noinst_LTLIBRARIES = libpart.la
libpart_la_SOURCES = part.c
libother_la_SOURCES = other.cc
libother_la_LIBADD = libpart.la
program_SOURCES = main.cc
program_LDADD = libother.la
END
cd ..

# instrumented FILE FUNCTION... - checks for one stub, an exact table, and sleds in these functions.
instrumented()
{
	file=$1
	shift
	[ "$("$llvm_bin/llvm-nm" "$file" | grep -c ' spoor_dso_anchor$')" = 1 ] ||
		fail "$file does not have exactly one stub"
	table_is_exact "$file"
	names "$file" > names
	for name in "$@"; do
		grep -qx "$name" names || fail "$file: $name has no sleds; functions with sleds: $(cat names)"
	done
}

# silent LOG - checks that a build printed no warnings and no message about unused arguments.
silent()
{
	! grep -Ei 'warning|unused' "$1" | grep -v '^libtool:' || fail "$1: the build printed the warnings above"
}

mkdir plain
(
	cd plain
	make -f ../source/Makefile.plain CC="$driver_c" CXX="$driver_cxx" CFLAGS="-O1 -Wall -Werror" \
		CXXFLAGS="-O1 -Wall -Werror" > log 2>&1 || fail "plain make failed: $(cat log)"
	./program
)
silent plain/log
instrumented plain/libother.so part _Z5otheri
instrumented plain/program main

# found_by_cmake FOLDER - prints the results of CMake's tests. CC and CXX select clang or the driver, as a user sets
# them.
found_by_cmake()
{
	sed -n 's/^\(HAVE_[A-Z_]*:INTERNAL=\)/\1/p; s/^\(CMAKE_SIZEOF_VOID_P.*\)/\1/p' "$1/CMakeCache.txt" | sort
	sed -n 's/^set(\(CMAKE_CXX*_COMPILER_\(ID\|VERSION\|FRONTEND_VARIANT\|ABI\)\) /\1 /p' "$1"/CMakeFiles/*/CMake*Compiler.cmake | sort
	# The libraries and folders that the compiler links implicitly. The stub is one of them; CMake also gives it
	# to linkers of other languages, which do not use it.
	sed -n 's/^set(\(CMAKE_CXX*_IMPLICIT_LINK_\(LIBRARIES\|DIRECTORIES\)\) /\1 /p' "$1"/CMakeFiles/*/CMake*Compiler.cmake |
		sed "s#$stub;##" | sort
}
if command -v cmake > cmake.path; then
	for way in clang spoor; do
		cc=$clang cxx=$clangxx
		[ $way = clang ] || cc=$driver_c cxx=$driver_cxx
		CC=$cc CXX=$cxx cmake -S source -B cmake.$way > cmake.$way.log 2>&1 ||
			fail "cmake failed: $(cat cmake.$way.log)"
		cmake --build cmake.$way --verbose >> cmake.$way.log 2>&1 ||
			fail "cmake --build failed: $(cat cmake.$way.log)"
		cmake.$way/program
		found_by_cmake cmake.$way > cmake.$way.found
	done
	grep -q 'HAVE_STRDUP:INTERNAL=1' cmake.spoor.found ||
		fail "CMake does not find strdup: $(cat cmake.spoor.found)"
	cmp cmake.clang.found cmake.spoor.found ||
		fail "CMake finds other results than with clang: $(diff cmake.clang.found cmake.spoor.found)"
	! grep -i 'warning:' cmake.spoor.log || fail "CMake's build printed warnings (see above)"
	instrumented cmake.spoor/libother.so part _Z5otheri
	instrumented cmake.spoor/program main

	# Archives of bitcode as spoor-cc(1) describes; by default CMake looks for a spoor-llvm-ar.
	mkdir ipo
	cat > ipo/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.20)
project(ipo C CXX)
include(CheckIPOSupported)
check_ipo_supported()
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
add_library(part STATIC ../source/part.c ../source/other.cc)
add_executable(program ../source/main.cc)
target_link_libraries(program PRIVATE part)
END
	CC=$driver_c CXX=$driver_cxx cmake -S ipo -B cmake.ipo -DCMAKE_EXE_LINKER_FLAGS="-fuse-ld=$llvm_bin/ld.lld" \
		-DCMAKE_C_COMPILER_AR="$llvm_bin/llvm-ar" -DCMAKE_C_COMPILER_RANLIB="$llvm_bin/llvm-ranlib" \
		-DCMAKE_CXX_COMPILER_AR="$llvm_bin/llvm-ar" -DCMAKE_CXX_COMPILER_RANLIB="$llvm_bin/llvm-ranlib" \
		> ipo.log 2>&1 || fail "cmake with IPO failed: $(cat ipo.log)"
	cmake --build cmake.ipo --verbose > ipo.log 2>&1 || fail "cmake --build with IPO failed: $(cat ipo.log)"
	grep -q -- -flto ipo.log || fail "cmake with IPO does not use -flto: $(cat ipo.log)"
	cmake.ipo/program
	instrumented cmake.ipo/program main part _Z5otheri
fi

if command -v libtoolize > libtool.path; then
	(cd source && autoreconf -i > ../autoreconf.log 2>&1) || fail "autoreconf failed: $(cat autoreconf.log)"
	for way in clang spoor; do
		cc=$clang cxx=$clangxx
		[ $way = clang ] || cc=$driver_c cxx=$driver_cxx
		mkdir autotools.$way
		(
			cd autotools.$way
			# configure takes half of its time with this shell.
			CONFIG_SHELL=/bin/sh ../source/configure CC="$cc" CXX="$cxx" > log 2>&1 || fail "configure failed: $(cat log)"
			make V=1 > make.log 2>&1 || fail "make failed: $(cat make.log)"
			make install DESTDIR="$PWD/stage" >> make.log 2>&1 ||
				fail "make install failed: $(tail make.log)"
			./program
		)
		cp autotools.$way/config.h autotools.$way.found
		# The files that libtool links implicitly with C++ programs and libraries.
		(cd autotools.$way && ./libtool --tag=CXX --config) |
			grep -E '^(predep|postdep|predeps|postdeps|archive_cmds|whole_archive)' |
			sed "s#$driver_cxx#$clangxx#g" >> autotools.$way.found
	done
	cmp autotools.clang.found autotools.spoor.found ||
		fail "configure finds other results than with clang:" \
			"$(diff autotools.clang.found autotools.spoor.found)"
	silent autotools.spoor/make.log
	instrumented autotools.spoor/.libs/libother.so part _Z5otheri
	instrumented autotools.spoor/.libs/program main
fi
