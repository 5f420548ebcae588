#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_victims.sh - the tests of exceptions, longjmp, cancellation, switches of stacks and signals pass with victims that
# GCC compiled: GCC's plugin adds marks to the same places as the pass for LLVM.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
work_folder gcc_victims
use_newest_gcc
[ -z "$emulated" ] || skip "the scripts run for this machine alone"

# A copy of the build by links, with a folder for work of its own, and drivers that run GCC.
here=$PWD
mkdir -p build/tests/work drivers
for file in "$top_builddir"/* "$top_builddir"/tests/*; do
	case ${file#"$top_builddir/"} in
	tests | tests/work) ;;
	*) ln -s "$file" "build/${file#"$top_builddir/"}" ;;
	esac
done
printf '#!/bin/sh\nexec %s "$@"\n' "$spoor_gcc" > drivers/spoor-cc
printf '#!/bin/sh\nexec %s "$@"\n' "$spoor_gxx" > drivers/spoor-c++
chmod +x drivers/spoor-cc drivers/spoor-c++
SPOOR_DRIVERS=$here/drivers
top_builddir=$here/build
export SPOOR_DRIVERS top_builddir

for script in unwinding stack_switches signals red_zone; do
	status=0
	"$top_srcdir/tests/integration/threads/$script.sh" > $script.log 2>&1 || status=$?
	[ $status = 0 ] || [ $status = 77 ] || fail "$script.sh fails with GCC's code: $(tail -n 5 $script.log)"
done
