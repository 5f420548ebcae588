#!/bin/sh
# SPDX-License-Identifier: MIT
# configure_long.sh - configure names all that is missing in one line for apt-get, which takes it,
# and tells in its summary which LLVM it took: the newest one or the one it was told to take.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
source=$(cd "$top_srcdir" && pwd)
[ ! -e "$source/config.status" ] || { echo "configure: skipped: the sources are configured in their own folder" >&2; exit 77; }
work_folder configure

# configures FOLDER [VARIABLE...] [OPTION...] - in an environment without this build's choices.
configures()
{
	mkdir "$1"
	(cd "$1" && shift && env -i PATH="$PATH" "$@" > out 2>&1)
}

# Nothing there that pkg-config finds, and no LLVM.
mkdir programs
for folder in /usr/local/bin /usr/bin /bin; do
	ln -s "$folder"/* programs/ 2> ln.err || true
done
rm -f programs/llvm-config* programs/clang*
! configures missing PATH="$PWD/programs" PKG_CONFIG_LIBDIR=/nowhere "$source/configure" ||
	fail "configure misses nothing: $(cat missing/out)"
[ "$(grep -c 'apt-get install' missing/out)" = 1 ] || fail "not one line: $(cat missing/out)"
packages=$(sed -n 's/^ *apt-get install //p' missing/out)
for module in libelf libunwind libprotobuf-c check; do
	package=$(dpkg -S "$(pkg-config --variable=pcfiledir $module)/$module.pc" | sed 's/:.*//')
	case " $packages " in
	*" $package "*) ;;
	*) fail "$package is not in: $packages" ;;
	esac
done
case " $packages " in
*" llvm-"*"-dev "*) ;;
*) fail "no LLVM in: $packages" ;;
esac
if apt-cache show llvm-22-dev > /dev/null 2>&1; then
	apt-get install --simulate $packages > simulated 2>&1 || fail "apt-get: $(tail -n 5 simulated)"
fi

newest=
for llvm in $(all_llvms); do
	configures "$llvm" "$source/configure" --silent --with-llvm-config="llvm-config-$llvm" ||
		fail "LLVM $llvm: $(cat "$llvm/out")"
	grep -Eq "^ *LLVM +$llvm\.[0-9.]+ \(llvm-config-$llvm\)" "$llvm/out" || fail "LLVM $llvm: $(cat "$llvm/out")"
	newest=$llvm
done
[ -n "$newest" ] || fail "there is no LLVM"
configures default "$source/configure" --silent || fail "$(cat default/out)"
grep -Eq "^ *LLVM +$newest\.[0-9.]+ " default/out || fail "not the newest LLVM, $newest: $(cat default/out)"
