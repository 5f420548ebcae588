#!/bin/sh
# SPDX-License-Identifier: MIT
# configure_long.sh - configure lists all missing packages in one line for apt-get, which accepts the line, and its
# summary shows the LLVM in use: the newest one, or the requested one.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
source=$(cd "$top_srcdir" && pwd)
[ ! -e "$source/config.status" ] || { echo "configure: skipped: the sources are configured in their own folder" >&2; exit 77; }
work_folder configure

# configures FOLDER [VARIABLE...] [OPTION...] - runs configure in an environment without the settings of this build.
configures()
{
	mkdir "$1"
	(cd "$1" && shift && env -i PATH="$PATH" "$@" > out 2>&1)
}

# A system in which pkg-config finds nothing, and without LLVM.
mkdir programs
for folder in /usr/local/bin /usr/bin /bin; do
	ln -s "$folder"/* programs/ 2> ln.err || true
done
rm -f programs/llvm-config* programs/clang*
! configures missing PATH="$PWD/programs" PKG_CONFIG_LIBDIR=/nowhere "$source/configure" ||
	fail "configure reports nothing missing: $(cat missing/out)"
[ "$(grep -c 'apt-get install' missing/out)" = 1 ] ||
	fail "configure does not print one line for apt-get: $(cat missing/out)"
packages=$(sed -n 's/^ *apt-get install //p' missing/out)
for module in libelf libunwind libprotobuf-c check; do
	package=$(dpkg -S "$(pkg-config --variable=pcfiledir $module)/$module.pc" | sed 's/:.*//')
	case " $packages " in
	*" $package "*) ;;
	*) fail "the package $package is not listed: $packages" ;;
	esac
done
case " $packages " in
*" llvm-"*"-dev "*) ;;
*) fail "no LLVM is listed: $packages" ;;
esac
if apt-cache show llvm-22-dev > /dev/null 2>&1; then
	apt-get install --simulate $packages > simulated 2>&1 ||
		fail "apt-get rejects the packages: $(tail -n 5 simulated)"
fi

newest=
for llvm in $(all_llvms); do
	configures "$llvm" "$source/configure" --silent --with-llvm-config="llvm-config-$llvm" ||
		fail "configure with LLVM $llvm failed: $(cat "$llvm/out")"
	grep -Eq "^ *LLVM +$llvm\.[0-9.]+ \(llvm-config-$llvm\)" "$llvm/out" ||
		fail "the summary does not show LLVM $llvm: $(cat "$llvm/out")"
	newest=$llvm
done
[ -n "$newest" ] || fail "no LLVM with a plugin is installed"
configures default "$source/configure" --silent || fail "configure failed: $(cat default/out)"
grep -Eq "^ *LLVM +$newest\.[0-9.]+ " default/out ||
	fail "configure does not choose the newest LLVM, $newest: $(cat default/out)"
