# SPDX-License-Identifier: MIT
# libxml2.sh - for test_suites_long.sh: C, shared library, autoconf.
suite_package=libxml2

suite_build()
{
	"$source_directory/configure" -q --disable-static --without-python --without-lzma --without-debug \
		CC="$cc" CFLAGS="$flags" LDFLAGS="$ldflags" AR="$ar" NM="$nm" RANLIB="$ranlib" &&
		make -s -j"$jobs" &&
		ln -s "$source_directory/test" "$source_directory/result" .
}

# What configure found out.
suite_configured()
{
	cat config.h
}

suite_run()
{
	for program in runtest testrecurse testapi testchar testdict runxmlconf; do
		echo "== $program"
		./$program 2>&1 || echo "status $?"
	done | grep -v '^Memory\|seconds\|^$'
}
