#!/bin/sh
# SPDX-License-Identifier: MIT
# interleavings.sh - runs enable, disable, patch, register and unregister in every interleaving that schedule.h
# describes, and finds no error. The test must find errors: for each kind below, it makes one error in a copy of the
# runtime's source, and finds it.
set -eu

name=interleavings
work=$top_builddir/tests/work/$name
rm -rf "$work"
mkdir -p "$work"
unset $(env | sed -n 's/^\(SPOOR_RUNTIME_[A-Z_]*\)=.*/\1/p') LD_PRELOAD
archive=$top_builddir/libspoor/.libs/libruntime.a

fail()
{
	echo "$name: $*" >&2
	exit 1
}

case $SPOOR_ARCH in
x86_64) ;;
*)
	echo "$name: skipped: reads the sleds of x86-64 alone" >&2
	exit 77 ;;
esac
if nm "$archive" 2> /dev/null | grep -q ' U __[atu]b*san_'; then
	echo "$name: skipped: the runtime is built with sanitizers" >&2
	exit 77
fi

flags="-std=gnu11 -O1 -g -w -I$top_srcdir -I$top_srcdir/libspoor/include -I$top_srcdir/libspoor -I$top_builddir
	-DSPOOR_SYSTEM_HEADER=\"base/system_x86_64.h\" -DSPOOR_SLED_HEADER=\"format/sled_x86_64.h\"
	-DSPOOR_QUARTER_HEADER=\"event/quarter_x86_64.h\"
	-DHAND_CODE_HEADER=\"tests/unit/support/hand_code_x86_64.h\""

# The files of libspoor/ that are compiled again.
parts="elf/module_path module/registry module/registry_lock module/registry_apply patch/patch patch/text_pages api/interface
	api/module_observers"

# build DIRECTORY - builds the runtime from the sources in the folder. Other parts are those of $work/right.
build()
{
	objects=
	for part in $parts; do
		part=${part#*/}
		if ! [ -e "$1/$part.c" ]; then
			objects="$objects $work/right/$part.o"
			continue
		fi
		objects="$objects $1/$part.o"
		$CC $flags -D_GNU_SOURCE -fsanitize-coverage=trace-pc -fPIC -Dpthread_mutex_lock=box_mutex_lock \
			-Dpthread_mutex_trylock=box_mutex_trylock -Dpthread_mutex_clocklock=box_mutex_clocklock \
			-Dpthread_mutex_unlock=box_mutex_unlock -Dmprotect=box_mprotect -Ddl_iterate_phdr=box_iterate_phdr -Dsyscall=box_syscall \
			-Dspoor_trace_begin=box_begin_trace -c -o "$1/$part.o" "$1/$part.c" ||
				fail "$1/$part.c does not compile"
	done
	$CC $flags -o "$1/$name" "$work/$name.o" "$work/schedule.o" "$work/hand_module.o" \
		$objects "$archive" -liberty -pthread || fail "$1 does not link"
}

# mistake NAME FILE EXPRESSION - makes an error with sed, which must change the file, and checks that the test finds
# the error.
mistake()
{
	directory=$work/$1
	mkdir "$directory"
	cp "$top_srcdir"/libspoor/*/"$2.c" "$directory"
	sed -E -i "$3" "$directory/$2.c"
	! cmp -s "$directory/$2.c" "$top_srcdir"/libspoor/*/"$2.c" ||
		fail "$1: the sed expression changed nothing in $2.c"
	build "$directory"
	status=0
	"$directory/$name" > "$directory/out" 2>&1 || status=$?
	[ "$status" != 0 ] || fail "$1: the test does not find this error: $(tail -n 3 "$directory/out")"
	echo "$1: found, status $status: $(grep '^interleavings' "$directory/out" | head -n 1)"
}

$CC $flags -c -o "$work/$name.o" "$top_srcdir/tests/integration/modules/$name.c"
$CC $flags -c -o "$work/schedule.o" "$top_srcdir/tests/integration/modules/schedule.c"
$CC $flags -c -o "$work/hand_module.o" "$top_srcdir/tests/unit/support/hand_module.c"

mkdir "$work/right"
for part in $parts; do
	cp "$top_srcdir/libspoor/$part.c" "$work/right"
done
build "$work/right"
"$work/right/$name" || fail "the test finds an error in the unchanged runtime (see above)"

mistake enable_without_lock interface '/^static void call_on_libc_stack/,/^}/s/spoor_registry_(un)?lock\(\);//'
mistake unregister_without_lock registry '/^void spoor_registry_remove/,/^}/s/spoor_registry_(un)?lock\(\);//'
mistake register_unlocks_too_early registry '/^static struct spoor_instance \*add_instance/,/^}/{
	s/^\t\tspoor_instance_begin\(instance\);/\t\t{ spoor_registry_unlock(); spoor_instance_begin(instance); spoor_registry_lock(); }/
}'
mistake linker_under_lock registry '/^static void add\(/,/^}/{
	/^\tspoor_registry_lock\(\);/d
	s/^\tspoor_module_path\(/\tspoor_registry_lock(); spoor_module_path(/
}'
mistake slots_after_sleds registry '/^static struct spoor_instance \*add_instance/,/^}/{
	/^\tspoor_instance_set_slots\(instance\);/d
	s/^\t\tspoor_instance_begin\(instance\);/\t\t{ spoor_instance_begin(instance); spoor_instance_set_slots(instance); }/
}'
mistake heads_before_bytes patch '/^static .* change_piece/,/^}/{
	s/prepare_more, &more/switch_on, \&more/
	s/(ours & ~job->patched\[word\], )switch_on/\1prepare_more/
}'
mistake nop_without_barrier patch '/^static inline void publish/,/^}/s/spoor_patch_synchronise\(\);//'
mistake unregistered_and_not_forgotten registry '/^static bool remove_instance/,/^}/s/^\tinstance->dso = NULL;//'
rm -rf "$work"
