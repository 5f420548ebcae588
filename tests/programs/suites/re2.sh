# SPDX-License-Identifier: MIT
# re2.sh - for test_suites_long.sh: C++, a shared library, make.
suite_package=re2
# Under an emulator, slow tests are skipped: tests of all short expressions, and of random ones.
left_out=none
[ -z "$emulated" ] || left_out='exhaustive[123]*_test\|random_test\|dfa_test'

# Debian's sources lack the tables that other packages contain.
unicode=/usr/share/unicode
[ -e $unicode/UnicodeData.txt ] || { echo "re2 needs Unicode's tables: apt-get install unicode-data"; exit 77; }

suite_build()
{
	cp -R "$source_directory/." . &&
		sed -i "s|^from six.*|import urllib.request|; s|^_UNICODE_DIR = .*|_UNICODE_DIR = '$unicode'|" re2/unicode.py &&
		tests=$(sed -n '/^TESTS=/,/^$/s|^.*obj/test/\([a-z0-9_]*\).*|obj/so/test/\1|p' Makefile | grep -v "$left_out") &&
		make -s -j"$jobs" $tests REBUILD_TABLES=1 CXX="$cxx" CXXFLAGS="$flags" LDFLAGS="$ldflags" AR="$ar" NM="$nm"
}

suite_configured()
{
	"$nm" -D --defined-only obj/so/libre2.so | cut -c18-
}

suite_run()
{
	./runtests -shared-library-path obj/so obj/so/test/*_test
}

# For gcc_suites_long.sh.
suite_counted()
{
	cp obj/so/test/search_test obj/so/libre2.so.* .
	LD_LIBRARY_PATH=$PWD calls_agree "search_test $(echo libre2.so.*)" /dev/null search_test
}
