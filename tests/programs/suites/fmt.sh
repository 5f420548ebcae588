# SPDX-License-Identifier: MIT
# fmt.sh - for test_suites_long.sh: C++ with exceptions and templates, CMake. Debian's
# sources lack the copy of googletest, so the system's is used.
suite_package=fmtlib

suite_build()
{
	cp -R "$source_directory/." . &&
		mkdir -p test/gtest build &&
		printf '%s\n' 'find_package(GTest REQUIRED)' 'add_library(gtest INTERFACE)' \
			'target_link_libraries(gtest INTERFACE GTest::gmock GTest::gtest)' > test/gtest/CMakeLists.txt &&
		(
			cd build &&
				cmake -DCMAKE_C_COMPILER="${cc%% *}" -DCMAKE_CXX_COMPILER="${cxx%% *}" -DCMAKE_CXX_FLAGS="${cxx#"${cxx%% *}"} $flags" \
					-DCMAKE_EXE_LINKER_FLAGS="$ldflags" -DCMAKE_SHARED_LINKER_FLAGS="$ldflags" -DCMAKE_AR="$ar" -DCMAKE_RANLIB="$ranlib" \
					-DCMAKE_BUILD_TYPE=None -DBUILD_SHARED_LIBS=ON -DFMT_DOC=OFF -DFMT_TEST=ON ..
		) &&
		make -s -j"$jobs" -C build
}

# The results of CMake's checks.
suite_configured()
{
	grep -i '^\(have\|has\|supports\|cxx\|fmt\)[^=]*INTERNAL=\|^[A-Z_]*:INTERNAL=[01]*$' build/CMakeCache.txt | sort
}

# enforce-checks-test prints no list; its exit status is the result.
suite_run()
{
	for program in build/bin/*-test; do
		"$program" --gtest_print_time=0 --gtest_color=no > last.log 2>&1
		echo "== ${program##*/}: status $?"
		grep '^\[ *\(OK\|FAILED\|SKIPPED\|PASSED\) *\]' last.log || true
	done
}
