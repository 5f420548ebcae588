# SPDX-License-Identifier: MIT
# re2.sh - for test_suites_long.sh: C++, a shared library, make.
suite_package=re2

suite_build()
{
	cp -R "$source_directory/." . &&
		tests=$(sed -n '/^TESTS=/,/^$/s|^.*obj/test/\([a-z0-9_]*\).*|obj/so/test/\1|p' Makefile) &&
		make -s -j"$jobs" $tests CXX="$cxx" CXXFLAGS="$flags" LDFLAGS="$ldflags" AR="$ar" NM="$nm"
}

suite_configured()
{
	nm -D --defined-only obj/so/libre2.so | cut -c18-
}

suite_run()
{
	./runtests -shared-library-path obj/so obj/so/test/*_test
}
