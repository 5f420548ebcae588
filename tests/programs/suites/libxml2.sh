# SPDX-License-Identifier: MIT
# libxml2.sh - for test_suites_long.sh: C, a shared library, autoconf.
suite_package=libxml2
suite_programs='runtest testrecurse testapi testchar testdict'

# "all" calls a second make, so two makes would link the library at one time if the test programs were built beside it.
#
# libxml2's version script names symbols that some configurations do not define. lld rejects such names by default.
suite_build()
{
	case $ldflags in
	*lld*) ldflags="$ldflags -Wl,--undefined-version" ;;
	esac
	"$source_directory/configure" -q --disable-static --without-python --without-lzma --without-debug \
		CC="$cc" CFLAGS="$flags" LDFLAGS="$ldflags" AR="$ar" NM="$nm" RANLIB="$ranlib" &&
		make -s -j"$jobs" all && make -s -j"$jobs" $suite_programs &&
		ln -s "$source_directory/test" "$source_directory/result" .
}

# The results of configure's checks.
suite_configured()
{
	cat config.h
}

# Threads print in any order. Lines of different threads mix: each thread reports a missing file, which
# no release contains. A message of spoor may come in the middle of a line.
suite_run()
{
	for program in $suite_programs; do
		./$program > last.log 2>&1
		status=$?
		sed -z -i 's/spoor: [^\n]*\n//g' last.log
		echo "== $program: status $status"
		grep -ao '^##.*\|^Total.*\|^[Tt]esting.*\|^dictionary.*\|^File .* failed\|Thread [0-9] .* failed$' last.log | sort
	done
}
