# SPDX-License-Identifier: MIT
# suite_runs.sh - builds and runs test suites of other projects, and compares the results. Scripts source this file after
# debian_source.sh, in their folder of work. They set $work to that folder, and $suite and $level.
#
# A file in tests/programs/suites defines $suite_package, and functions that run in the folder of a build:
#   suite_build        builds it from $source_directory, with $cc, $cxx, $fc, $ar, $nm, $ranlib, $flags and $ldflags
#   suite_configured   prints what the build found out
#   suite_run          prints passes and failures

sources=$top_builddir/tests/work/sources
mkdir -p "$sources"
jobs=$(nproc)

# build WAY - builds the suite in the folder WAY.
build()
{
	mkdir "$1"
	(cd "$1" && suite_build) > "$1.build" 2>&1 || fail "$suite $level $1 does not build: $(tail -n 5 "$1.build")"
	(cd "$1" && suite_configured) > "$1.configured" 2>&1
}

# library_calls_recorded BUILD - checks that the first trace of a program of the suite has calls of the C library.
library_calls_recorded()
{
	own=$(grep -l "^executable=$PWD/$1/" "$work"/trace/*/process.spoor | head -n 1)
	[ -n "$own" ] || fail "$suite $level: no program of the suite was traced"
	"$top_builddir/tools/spoor" report --no-pager --format csv --columns library "${own%/*}" > libraries 2>&1 ||
		fail "$suite $level: $own has no report: $(cat libraries)"
	grep -q '^"*libc\.so' libraries || fail "$suite $level: $own has no library call: $(head -n 20 libraries)"
}

# run BUILD RESULT [VARIABLE...] - runs the suite in the folder BUILD, with these variables. A traced program, also sed,
# names the library calls that are not recorded, perhaps in the middle of a line of another program: this is removed.
run()
{
	(
		cd "$1"
		shift 2
		for variable; do
			export "$variable"
		done
		suite_run
	) > "$2" 2>&1 || true
	sed -z -i 's/spoor: calls of [^\n]*\n//g' "$2"
	[ -s "$2" ] || fail "$suite $level $2: no results"
	! grep -w 'not found\|status 12[67]\|no result' "$2" > absent || fail "$suite $level $2: $(head -n 1 absent)"
	[ $# = 2 ] || ls "$work"/trace/*/process.spoor > traced 2>&1 ||
		fail "$suite $level $2: there is no trace: $(cat traced)"
	case " $* " in
	*' SPOOR_RUNTIME_LIBRARY_CALLS='*) library_calls_recorded "$1" ;;
	esac
	rm -rf "$work/trace"
}

# same FILE FILE - compares lists of passes and failures, or results of configure.
same()
{
	sed "s|$PWD/[a-z]*/||g; s|$PWD/[a-z]*||g" "$1" > left
	sed "s|$PWD/[a-z]*/||g; s|$PWD/[a-z]*||g" "$2" > right
	diff left right > difference || fail "$suite $level: $1 and $2 differ: $(head -n 20 difference)"
}
