#!/bin/sh
# SPDX-License-Identifier: MIT
# build_systems_long.sh - a project that CMake or Meson builds, or distcc compiles, has sleds where it requests them,
# and is dormant until it is traced. Tools that read its compile_commands.json report nothing.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder build_systems
source=$top_srcdir/tests/programs/build_systems
missing=
make -s -C "$top_builddir" install DESTDIR="$PWD/stage" > install.log 2>&1
file=$(find "$PWD/stage" -name spoor-instrumentation.pc)
prefix=$PWD/stage$(sed -n 's/^prefix=//p' "$file")
spoor=$prefix/bin/spoor

# traced PROGRAM - checks that the program runs dormant, and that the trace has the calls of program.c.
traced()
{
	rm -rf spoor.trace
	"$1" || fail "$1: the dormant program ended with status $?"
	[ ! -e spoor.trace ] || fail "$1: the dormant program left a trace: $(ls spoor.trace)"
	"$spoor" record -q "$1"
	"$spoor" report --format=csv | sed 1d | cut -d, -f1-3 | sort > calls
	printf '%s\n' area,libarea.so,1 "main,${1##*/},1" 'shapes::square(int),libarea.so,1' "sum,${1##*/},1" | sort |
		diff - calls || fail "$1: the calls of the trace differ (wanted <, got >) (see above)"
}

if command -v cmake > /dev/null; then
	for llvm in $(all_llvms); do
		use_llvm "$llvm"
		cmake -S "$source" -B cmake$llvm -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
			-DCMAKE_C_COMPILER="$clang" -DCMAKE_CXX_COMPILER="$clangxx" > cmake.log 2>&1 ||
				fail "cmake failed: $(cat cmake.log)"
		cmake --build cmake$llvm > cmake.log 2>&1 || fail "LLVM $llvm: cmake --build failed: $(cat cmake.log)"
		traced "$PWD/cmake$llvm/program"
		readelf -d cmake$llvm/program | grep -q libspoor.so && fail "CMake: Spoor::shared links the runtime"
		rm -rf spoor.trace
		cmake$llvm/with_runtime
		"$spoor" report --format=csv | grep -q '^main,with_runtime,1,' ||
			fail "CMake: Spoor::runtime does not trace the program: $("$spoor" report --format=csv)"
	done
	for gcc in 11 12 13 14; do
		[ -f "$top_builddir/pass/gcc/gcc-$gcc/.libs/libspoor_gcc.so" ] || continue
		for ipo in OFF ON; do
			rm -rf cmake_gcc
			cmake -S "$source" -B cmake_gcc -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
				-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=$ipo -DCMAKE_POLICY_DEFAULT_CMP0069=NEW \
				-DCMAKE_C_COMPILER=gcc-$gcc -DCMAKE_CXX_COMPILER=g++-$gcc > cmake.log 2>&1 ||
					fail "cmake failed: $(cat cmake.log)"
			cmake --build cmake_gcc > cmake.log 2>&1 || fail "GCC $gcc: cmake --build failed: $(cat cmake.log)"
			[ $ipo = ON ] || traced "$PWD/cmake_gcc/program"
			rm -rf spoor.trace
			cmake_gcc/with_runtime
			"$spoor" report --format=csv | grep -q '^main,with_runtime,1,' ||
				fail "GCC $gcc, interprocedural optimisation $ipo: Spoor::runtime does not trace the program"
			[ "$("$spoor" symbols cmake_gcc/program | grep -c ' yes ')" -ge 1 ] ||
				fail "GCC $gcc, interprocedural optimisation $ipo: the program has no sleds"
		done
	done
	for gcc in 11 12 13 14; do
		[ -f "$top_builddir/pass/gcc/gcc-$gcc/.libs/libspoor_gcc.so" ] && command -v gfortran-$gcc > /dev/null || continue
		rm -rf fortran spoor.trace
		mkdir fortran
		cat > fortran/CMakeLists.txt <<- END
			cmake_minimum_required(VERSION 3.18)
			project(shapes Fortran)
			find_package(Spoor 0.1 REQUIRED)
			add_executable(fortran $top_srcdir/tests/programs/languages/shapes.f90)
			target_link_libraries(fortran PRIVATE Spoor::runtime)
		END
		cmake -S fortran -B fortran/build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_Fortran_COMPILER=gfortran-$gcc \
			-DCMAKE_BUILD_TYPE=Debug > cmake.log 2>&1 || fail "cmake with Fortran failed: $(cat cmake.log)"
		cmake --build fortran/build > cmake.log 2>&1 || fail "gfortran $gcc: cmake --build failed: $(cat cmake.log)"
		fortran/build/fortran > fortran.out
		"$spoor" report --format=csv | grep -q '^shapes::fibonacci,fortran,25,' ||
			fail "gfortran $gcc: the calls are not in the trace: $("$spoor" report --format=csv)"
	done
	# A compiler without a plugin.
	mkdir -p none
	printf '#!/bin/sh\nexec gcc "$@"\n' > none/cc
	chmod +x none/cc
	if cmake -S "$source" -B cmake_none -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$PWD/none/cc" \
		-DCMAKE_C_COMPILER_ID=GNU -DCMAKE_C_COMPILER_VERSION=8.3.0 -DCMAKE_C_COMPILER_FORCED=ON \
		-DCMAKE_CXX_COMPILER="$clangxx" > cmake.log 2>&1; then
		fail "CMake accepts a compiler that has no plugin: $(cat cmake.log)"
	fi
	tr '\n' ' ' < cmake.log | tr -s ' ' | grep -q 'the compiler of C is GNU 8.3.0; spoor has plugins for clang [0-9].* and for GCC' ||
		fail "CMake's error does not name the compiler: $(cat cmake.log)"
else
	missing="$missing cmake"
fi

# Other tools that read these commands.
use_llvm 22
if command -v clang-tidy-22 > /dev/null && command -v clangd-22 > /dev/null; then
	clang-tidy-22 -p cmake22 --checks='-*,bugprone-*,clang-diagnostic-*' --warnings-as-errors='*' "$source/sum.c" \
		"$source/area.cc" > tidy.log 2>&1 || fail "clang-tidy reports: $(cat tidy.log)"
	clangd-22 --compile-commands-dir="$PWD/cmake22" --check="$source/sum.c" > clangd.log 2>&1 ||
		fail "clangd failed: $(tail -n 20 clangd.log)"
	grep -q 'E\[' clangd.log && fail "clangd reports errors: $(grep 'E\[' clangd.log)"
else
	missing="$missing clang-tidy-22 clangd-22"
fi

if command -v meson > /dev/null && command -v ninja > /dev/null; then
	use_llvm "$LLVM_MAJOR"
	# Meson needs the source files next to meson.build.
	mkdir meson
	cp "$source"/*.c "$source"/*.cc "$source/meson.build" meson
	sed "s|^prefix=.*|prefix=$prefix|" "$file" > spoor-instrumentation.pc
	PKG_CONFIG_PATH=$PWD CC=$clang CXX=$clangxx meson setup meson/build meson > meson.log 2>&1 ||
		fail "meson setup failed: $(cat meson.log)"
	ninja -C meson/build > meson.log 2>&1 || fail "ninja failed: $(cat meson.log)"
	traced "$PWD/meson/build/program"
	gcc_file=$(find "$PWD/stage" -name spoor-gcc.pc)
	if [ -n "$gcc_file" ]; then
		major=$(sed -n 's/.*function tracer: instruments what GCC \([0-9]*\).*/\1/p' "$gcc_file")
		sed "s|^prefix=.*|prefix=$prefix|" "$gcc_file" > spoor-gcc.pc
		cp -r meson meson_gcc
		rm -rf meson_gcc/build
		sed -i "s/'spoor-instrumentation'/'spoor-gcc'/" meson_gcc/meson.build
		PKG_CONFIG_PATH=$PWD CC=gcc-$major CXX=g++-$major meson setup meson_gcc/build meson_gcc > meson.log 2>&1 ||
			fail "meson setup with GCC failed: $(cat meson.log)"
		ninja -C meson_gcc/build > meson.log 2>&1 || fail "ninja with GCC failed: $(cat meson.log)"
		traced "$PWD/meson_gcc/build/program"
	fi
else
	missing="$missing meson ninja-build"
fi

if command -v distcc > /dev/null; then
	use_llvm "$LLVM_MAJOR"
	mkdir distcc
	for unit in program sum untraced; do
		DISTCC_HOSTS=localhost DISTCC_DIR=$PWD/distcc distcc "$driver_c" -O1 -c "$source/$unit.c" -o distcc_$unit.o
		"$driver_c" -O1 -c "$source/$unit.c" -o direct.o
		cmp direct.o distcc_$unit.o || fail "distcc makes another object file than the driver (see above)"
	done
else
	missing="$missing distcc"
fi
[ -z "$missing" ] || { echo "build_systems: not there:$missing"; exit 77; }
