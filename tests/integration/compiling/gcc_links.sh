#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_links.sh - with GCC's plugin and any linker, the function table has one entry for each function with sleds,
# without dynamic relocations, and the program behaves as uninstrumented: COMDAT functions of several units, with
# --gc-sections, with LTO, as a program of each kind and as a library; also beside objects of clang. The short form
# links every second pair of a kind and --gc-sections, and the other pairs with LTO.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
source=$top_srcdir/tests/programs/instrumentation
work_folder gcc_links
gccs=
for major in $(all_gccs); do
	[ -n "$gccs" ] && [ -z "${SPOOR_LONG-}" ] || gccs="$gccs $major"
done
[ -n "$gccs" ] || skip "GCC has no plugin here: apt-get install gcc-12-plugin-dev"
levels=-O2
[ -z "${SPOOR_LONG-}" ] || levels='-O0 -O1 -O2 -O3 -Os'
count=0

"$LLVM_BINDIR/clang" -c "$source/plain.c" -o plain.o
"$LLVM_BINDIR/clang++" "$source/shapes.cc" "$source/user.cc" "$source/main.cc" plain.o -o plain
expected=$(./plain)

# link_and_check WHAT KIND FLAG... - links the objects, and checks the table and the output.
link_and_check()
{
	what=$1 kind=$2 count=$((count + 1))
	shift 2
	case $kind in
	shared) objects='shapes.o user.o plain.o' ;;
	*) objects='main.o shapes.o user.o plain.o' ;;
	esac
	"$spoor_gxx" "-$kind" "$@" $objects -o linked 2> messages || fail "$what: $(cat messages)"
	# A weak function that another unit's function replaces stays in the file without its name. mold pads functions
	# with zeroes, so that disassemblers lose the instructions of a function without a name.
	# In some pairs of the long form GCC inlines more functions with LTO.
	fewest=10
	[ -z "$lto" ] || [ -z "${SPOOR_LONG-}" ] || fewest=5
	case $what in
	*mold*) [ "$(table linked | wc -l)" -ge $fewest ] || fail "$what: the table has fewer than $fewest functions" ;;
	*) table_is_exact linked $fewest 1 ;;
	esac
	if [ "$kind" = shared ]; then
		cp linked liblinked.so
		"$gxx" plain_main.o ./liblinked.so -o run
	else
		cp linked run
	fi
	[ "$(./run)" = "$expected" ] || fail "$what prints $(./run) instead of $expected"
	[ "$kind" != static ] || return 0
	rm -rf run.trace
	[ "$(SPOOR_RUNTIME_TRACE_PATH=run.trace LD_PRELOAD=$libspoor ./run)" = "$expected" ] ||
		fail "$what, awake, does not print $expected"
	"$spoor" report --format=csv run.trace | sed 1d | cut -d, -f1,3 | sort > "calls.$level$lto.${kind#no-}"
	least=8
	[ -z "$lto" ] || least=2
	[ "$(wc -l < "calls.$level$lto.${kind#no-}")" -ge $least ] || fail "$what: fewer than $least functions were called"
	# All linkers have the calls of the first one. With LTO they let GCC inline other functions.
	[ -z "$lto" ] || return 0
	[ -e "calls.$level$lto.${kind#no-}.first" ] || cp "calls.$level$lto.${kind#no-}" "calls.$level$lto.${kind#no-}.first"
	cmp "calls.$level$lto.${kind#no-}.first" "calls.$level$lto.${kind#no-}" || fail "$what: other functions are called (see above)"
}

# plain_library_works - tests if mold makes a library of plain objects that works. With some levels it makes calls of an
# ifunc jump to 0.
plain_library_works()
{
	# shellcheck disable=SC2086
	"$gxx" $level $lto -fPIC -ffunction-sections -c "$source/shapes.cc" -o plain_shapes.o &&
		"$gxx" $level $lto -fPIC -ffunction-sections -c "$source/user.cc" -o plain_user.o &&
		"$gcc" $level $lto -fPIC -ffunction-sections -c "$source/plain.c" -o plain_plain.o &&
		"$gxx" $level $lto -shared -fuse-ld=mold $collect plain_shapes.o plain_user.o plain_plain.o -o libplain.so &&
		"$gxx" plain_main.o ./libplain.so -o plain_run || fail "mold links no library of plain objects"
	[ "$(./plain_run)" = "$expected" ]
}

for major in $gccs; do
	use_gcc "$major"
	rm -f calls.*
	"$gxx" -c "$source/main.cc" -o plain_main.o
	turn=0
	for level in $levels; do
		for lto in "" -flto; do
			turn=$((turn + 1))
			for unit in shapes user main; do
				"$spoor_gxx" $level $lto -fPIC -ffunction-sections -c "$source/$unit.cc" -o $unit.o
			done
			"$spoor_gcc" $level $lto -fPIC -ffunction-sections -c "$source/plain.c" -o plain.o
			for linker in bfd gold lld mold; do
				"$gcc" -fuse-ld=$linker -shared -nostdlib -x c /dev/null -o none.so 2> none || continue
				# lld has no plugin interface for GCC's LTO.
				[ "$linker$lto" != lld-flto ] || continue
				for kind in pie no-pie shared static; do
					turn=$((turn + 1))
					for collect in "" -Wl,--gc-sections; do
						turn=$((turn + 1))
						[ $((turn % 2)) = 0 ] || [ -n "${SPOOR_LONG-}" ] || continue
						# gold for AArch64 makes static programs that abort, also of plain objects.
						[ "$SPOOR_ARCH $linker $kind" != "aarch64 gold static" ] || continue
						[ "$linker $kind" != "mold shared" ] || plain_library_works || continue
						link_and_check "GCC $major, $level $lto, $linker $collect $kind" $kind $level $lto \
							-fuse-ld=$linker $collect
					done
				done
			done
		done
	done

	# One object of clang, one of GCC, in one tree.
	cat > callee.c << 'END'
int callee(int x);
int callee(int x) { return x + 1; }
END
	cat > caller.c << 'END'
int callee(int x);
int main(void) { return callee(2) != 3; }
END
	"$driver_c" -O1 -c callee.c -o callee.o
	"$spoor_gcc" -O1 -c caller.c -o caller.o
	for linker in "$driver_c" "$spoor_gcc"; do
		"$linker" caller.o callee.o -o mixed
		table_is_exact mixed 2
		rm -rf mixed.trace
		SPOOR_RUNTIME_TRACE_PATH=mixed.trace LD_PRELOAD=$libspoor ./mixed
		"$spoor" replay mixed.trace | grep -o '[a-z]*() mixed [{]\|[a-z]*() mixed;' | tr '\n' ' ' > tree
		[ "$(cat tree)" = 'main() mixed { callee() mixed; ' ] ||
			fail "$linker: the calls of clang's and GCC's code are not one tree: $(cat tree)"
	done

	# A link of -flto without the plugin generates code without sleds, and says so, once for each file.
	for fat in -fno-fat-lto-objects -ffat-lto-objects; do
		"$spoor_gcc" -O1 -flto $fat -c callee.c -o callee.o
		"$spoor_gcc" -O1 -flto $fat -c caller.c -o caller.o
		"$gcc" -flto caller.o callee.o -o lto.plain 2> err || fail "GCC $major, $fat: a link without the plugin fails: $(cat err)"
		[ "$(grep -c "functions of 'spoor-gcc -flto' get no sleds: link with spoor-gcc too" err)" = 1 ] ||
			fail "GCC $major, $fat: a link without the plugin does not warn: $(cat err)"
		"$spoor_gcc" -flto caller.o callee.o -o lto.sleds 2> err
		! grep 'no sleds' err || fail "GCC $major, $fat: a link with the plugin warns"
	done
done
echo "$count programs and libraries"
