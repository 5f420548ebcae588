#!/bin/sh
# SPDX-License-Identifier: MIT
# search_paths.sh - with LD_PRELOAD the dynamic linker finds the same libraries as without. It searches the RUNPATH of
# the object that calls dlopen, executable or library, in its name space or a new one. Opened libraries find their
# dependencies by their own RUNPATH. All are traced in the program's name space, with chosen functions too. In another
# name space they stay dormant and behave as untraced, unless they bring their own libspoor.so.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

mkdir bin lib lib/deep lib/deep/needs
traced_cc -fPIC -shared -o lib/libnear.so "$victims/modules/loaded.c"
traced_cc -fPIC -shared -DNAME=needed -Wl,-soname,libneeded.so -o lib/deep/needs/libneeded.so "$victims/modules/loaded.c"
# shellcheck disable=SC2016
traced_cc -fPIC -shared -DNAME=loaded -o lib/deep/libdeep.so "$victims/modules/loaded.c" -Wl,--no-as-needed \
	-Llib/deep/needs -lneeded -Wl,--enable-new-dtags,-rpath,'$ORIGIN/needs'
# shellcheck disable=SC2016
traced_cc -fPIC -shared -Wl,--enable-new-dtags,-rpath,'$ORIGIN/deep' -o lib/libsearching.so "$victims/modules/searching.c"
# shellcheck disable=SC2016
traced_cc -Wl,--enable-new-dtags,-rpath,'$ORIGIN/../lib' -o bin/searches "$victims/modules/searches.c"
for file in bin/searches lib/libsearching.so lib/deep/libdeep.so; do
	readelf -d $file | grep -q RUNPATH || fail "$file has no RUNPATH"
done
unset LD_LIBRARY_PATH

# found NAME ARGUMENT... - runs the program traced and untraced, with the same result; its output is in NAME.out.
found()
{
	found_name=$1
	shift
	status=0
	./bin/searches "$@" > "$found_name.wanted" || status=$?
	traced_status=0
	traced "$found_name" ./bin/searches "$@" > "$found_name.out" 2> "$found_name.err" || traced_status=$?
	equal "$found_name: status" $traced_status $status
	cmp "$found_name.wanted" "$found_name.out" || fail "$found_name: other libraries were found (see above)"
	silent "$found_name.err"
	facts "$found_name"
	equal "$found_name: lost" "$(lost "$found_name")" 0
}

# By the RUNPATH of the executable: its own library is found, and the library's library is not.
found self self libnear.so libdeep.so
equal "self: libnear.so" "$(head -n 1 self.out)" "libnear.so: 5"
grep -q '^libdeep.so: libdeep.so: cannot open' self.out ||
	fail "libdeep.so was found without the library's RUNPATH: $(cat self.out)"
calls_are self loaded_value 5 libnear.so
calls_are self leaf 2

# By the RUNPATH of the library: the reverse, because a RUNPATH applies only to its own object.
found library libsearching.so libdeep.so libnear.so
equal "library: what it opens" "$(cat library.out)" "libdeep.so by libsearching.so: 10
libnear.so by libsearching.so: -1"
calls_are library loaded_value 7 libdeep.so
calls_are library needed_value 3 libneeded.so
equal "library: the report" "$(reported library needed_value)" 3
calls_are library searching_open 2

export SPOOR_RUNTIME_FUNCTIONS='searching_open,*_value'
found chosen libsearching.so libdeep.so
unset SPOOR_RUNTIME_FUNCTIONS
calls_are chosen needed_value 3 libneeded.so
calls_are chosen searching_open 1
equal "chosen: calls of functions that are not chosen" "$(entries chosen leaf)" 0

# In new name spaces: modules there are not traced, modules of the program are.
found new new self libnear.so libnear.so
equal "new: what it opens" "$(cat new.out)" "libnear.so: 5
libnear.so: 5"
calls_are new leaf 2
equal "new: modules" "$(count new module)" 1
found new-library new libsearching.so libdeep.so libnear.so
equal "new-library: what it opens" "$(cat new-library.out)" "$(cat library.out)"
calls_are new-library leaf 2
equal "new-library: modules" "$(count new-library module)" 1

# A library that is linked with libspoor.so brings its own runtime, which has its own folder.
traced_cc -fPIC -shared -fspoor-runtime -Wl,-rpath,"${libspoor%/*}" -o lib/libwith.so "$victims/modules/loaded.c"
found with new self libwith.so libwith.so
equal "with: what it opens" "$(cat with.out)" "libwith.so: 5
libwith.so: 5"
calls_are with leaf 2
calls_are with loaded_value 10 libwith.so
equal "with: modules" "$(count with module)" 3
equal "with: folders" "$(count with process)" 3

# The same with a recorder.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
