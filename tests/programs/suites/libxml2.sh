# SPDX-License-Identifier: MIT
# libxml2.sh - for test_suites_long.sh: C, shared library, autoconf.
suite_package=libxml2
suite_programs='runtest testrecurse testapi testchar testdict'

# Its version script names what may be configured away, which lld takes for a mistake otherwise.
suite_build()
{
	case $ldflags in
	*lld*) ldflags="$ldflags -Wl,--undefined-version" ;;
	esac
	"$source_directory/configure" -q --disable-static --without-python --without-lzma --without-debug \
		CC="$cc" CFLAGS="$flags" LDFLAGS="$ldflags" AR="$ar" NM="$nm" RANLIB="$ranlib" &&
		make -s -j"$jobs" all $suite_programs &&
		ln -s "$source_directory/test" "$source_directory/result" .
}

# What configure found out.
suite_configured()
{
	cat config.h
}

# Threads report in any order, and into each other's lines that a file is missing, which no
# release has.
suite_run()
{
	for program in $suite_programs; do
		./$program > last.log 2>&1
		echo "== $program: status $?"
		grep -ao '^##.*\|^Total.*\|^[Tt]esting.*\|^dictionary.*\|^File .* failed\|Thread [0-9] .* failed$' last.log | sort
	done
}
