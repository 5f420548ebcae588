#!/bin/sh
# SPDX-License-Identifier: MIT
# distribution_long.sh - `make distcheck`: the source archive has every file of the repository, builds from a
# read-only folder, installs and uninstalls into DESTDIR, and leaves no file. Only a few tests run there, because the
# test checks the archive.
set -eu
work=$top_builddir/tests/work/distribution
fail()
{
	echo "distribution: $*" >&2
	exit 1
}
unset SPOOR_LONG MAKEFLAGS MFLAGS MAKELEVEL

git -C "$top_srcdir" rev-parse --git-dir > /dev/null 2>&1 || {
	echo "distribution: skipped: the sources are not a repository" >&2
	exit 77
}
rm -rf "$work"
git clone -q "$(git -C "$top_srcdir" rev-parse --show-toplevel)" "$work/source"
cd "$work/source"
autoreconf -i > ../autoreconf.out 2>&1 || fail "autoreconf failed: $(tail -n 5 ../autoreconf.out)"
mkdir build
cd build
../configure --silent CC="$CC" > configure.out 2>&1 || fail "configure failed: $(cat configure.out)"
make -s distcheck TESTS='tests/unit/libspoor/text/test_toml tests/integration/programs/demo.sh tests/golden/golden.sh' > distcheck.out 2>&1 ||
	fail "make distcheck failed: $(tail -n 30 distcheck.out)"
tar tf spoor-*.tar.xz | sed 's|^[^/]*/||' | sort > held
git -C .. ls-files | grep -Ev '^(\.gitignore|\.ci/.*)$' | sort > wanted
missing=$(comm -13 held wanted | tr '\n' ' ')
[ -z "$missing" ] || fail "these files are missing in the archive: $missing"
cd /
rm -rf "$work"
