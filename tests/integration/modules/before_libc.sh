#!/bin/sh
# SPDX-License-Identifier: MIT
# before_libc.sh - code that runs before libc and libspoor.so can be used harms no program, and the calls after it are
# traced: resolvers of indirect functions in executables and libraries, dynamic and static, bound at once or lazily;
# constructors that run before libc's; libraries for LD_AUDIT. Each with hooks, sleds of LLVM and of GCC, calls and order
# mode.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
. "$top_srcdir/tests/integration/support/gcc.sh"
gcc=${SPOOR_GCC:-gcc}
command -v "$gcc" > /dev/null || skip "there is no gcc"
kinds="hooks sled call order"
for major in $(all_gccs); do
	use_gcc "$major"
	kinds="$kinds gcc_sled"
	break
done
resolvers=$victims/modules/resolvers.c
runtime="-L$top_builddir/libspoor/.libs -Wl,-rpath,$top_builddir/libspoor/.libs -lspoor"

# compile KIND ARGUMENT... - compiles and links without optimisation between functions.
compile()
{
	compile_kind=$1
	shift
	case $compile_kind in
	hooks) "$gcc" -O1 -g -finstrument-functions "$@" ;;
	gcc_sled) "$spoor_gcc" -O1 -g "$@" ;;
	call) "$SPOOR_DRIVERS/spoor-cc" -O1 -g -fspoor-mode=call -I"$top_srcdir/libspoor/include" "$@" $runtime ;;
	*) "$SPOOR_DRIVERS/spoor-cc" -O1 -g -fspoor-mode="$compile_kind" "$@" ;;
	esac
}

# shows WHAT KIND PROGRAM WANTED FUNCTION CALLS MODULE - runs the program, traced, and checks the calls of a function.
shows()
{
	"./$3" > untraced.out || fail "$1: the untraced program ended with status $?"
	rm -rf trace
	mode=log
	[ "$2" != order ] || mode=order
	SPOOR_RUNTIME_MODE=$mode SPOOR_RUNTIME_TRACE_PATH=trace LD_PRELOAD=$preloaded LD_AUDIT=${audited-} "./$3" > out 2> err ||
		fail "$1: the traced program ended with status $?: $(cat err)"
	equal "$1: output" "$(cat out)" "$4"
	silent err
	if [ $mode = order ]; then
		"$reader" order --library "$7" trace > names || fail "$1: spoor order ended with status $?"
		grep -qx "$5" names || fail "$1: the order lacks $5: $(cat names)"
	else
		"$reader" report --format=csv trace > csv || fail "$1: spoor report ended with status $?"
		grep -q "^$5,$7,$6," csv || fail "$1: $5 was not called $6 times in $7: $(cat csv)"
	fi
}

preloaded=$libspoor
for binding in now lazy; do
	for kind in $kinds; do
		what="$kind, $binding"
		compile $kind -o program "$resolvers" -Wl,-z,$binding
		shows "$what" $kind program "10 1" main 1 program
		shows "$what" $kind program "10 1" fast 10 program
		compile $kind -no-pie -fno-pie -o fixed "$resolvers" -Wl,-z,$binding
		shows "$what, at a fixed address" $kind fixed "10 1" fast 10 fixed
		# Call mode calls the runtime by a slot that is not relocated before the resolver runs, traced or not.
		[ $kind != call ] || continue
		compile $kind -fPIC -shared -DLIBRARY -Wl,-soname,libchosen.so -o libchosen.so "$resolvers" -Wl,-z,$binding
		compile $kind -DUSES_LIBRARY -o both "$resolvers" -L. -lchosen -Wl,-rpath,"$work" -Wl,-z,$binding
		shows "$what, a library" $kind both "20 1" library_chosen 10 libchosen.so
		preloaded=$work/libchosen.so:$libspoor
		shows "$what, a library preloaded before" $kind both "20 1" library_chosen 10 libchosen.so
		preloaded=$libspoor:$work/libchosen.so
		shows "$what, a library preloaded after" $kind both "20 1" library_chosen 10 libchosen.so
		preloaded=$libspoor
		# The library's constructor runs before libc's, and its stub registers the library.
		compile $kind -fPIC -shared -DLIBRARY -Wl,-soname,libchosen.so -o libchosen.so "$resolvers" -Wl,-z,$binding \
			-Wl,-z,initfirst
		shows "$what, a library whose constructor is first" $kind both "20 1" library_chosen 10 libchosen.so
		compile $kind -fPIC -shared -o auditor.so "$victims/modules/auditor.c" -Wl,-z,$binding
		audited=$work/auditor.so
		shows "$what, an auditor" $kind both "20 1" main 1 both
		compile $kind -fPIC -shared -o auditor.so "$victims/modules/auditor.c" -Wl,-z,$binding $runtime
		shows "$what, an auditor with a runtime of its own" $kind both "20 1" main 1 both
		audited=
	done
done

# The start code of static programs calls resolvers before there is thread-local storage.
# The drivers, which are this machine's, have no such runtime for another machine.
[ -e "$top_builddir/libspoor/libspoor.a" ] && [ "$SPOOR_ARCH" = "$(uname -m)" ] || exit 0
preloaded=
for form in -static -static-pie; do
	for kind in $kinds; do
		driver=$SPOOR_DRIVERS/spoor-cc
		case $kind in
		hooks) flags="-fno-spoor -finstrument-functions" ;;
		gcc_sled) driver=$spoor_gcc flags= ;;
		*) flags=-fspoor-mode=$kind ;;
		esac
		"$driver" -O1 -g -fPIE -fspoor-runtime $flags $form -o static "$resolvers" 2> log ||
			fail "$kind, $form: linking failed: $(cat log)"
		shows "$kind, $form" $kind static "10 1" fast 10 static
	done
done
