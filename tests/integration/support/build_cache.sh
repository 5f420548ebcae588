# SPDX-License-Identifier: MIT
# build_cache.sh - builds each victim once for all scripts; life.sh sources this file. The folder tests/work/victims
# of the build keeps each output under a checksum of the drivers, plugins, stub, compilers, flags and sources, so a
# change of any of them makes a new entry and no stale one is used. Scripts that test the drivers themselves do not
# use the cache.

# build_stamp - prints a checksum of all files that take part in every build.
build_stamp()
{
	{
		ls -lL "$LLVM_BINDIR/clang"
		cat "$SPOOR_DRIVERS/spoor-cc" "$SPOOR_DRIVERS/spoor-c++" "$stub" "$top_builddir/libspoor/.libs/libspoor.so" \
			"$top_builddir"/pass/.libs/libspoor_instrumentation.so
		[ ! -d "$SPOOR_NATIVE" ] || cat "$SPOOR_NATIVE/tools/spoor-cc" "$SPOOR_NATIVE/pass/.libs/libspoor_instrumentation.so"
		cat "$victims"/*/*.h "$top_srcdir"/libspoor/include/*/*.h
	} 2> /dev/null | sha1sum | cut -d ' ' -f 1
}

build_cache=$top_builddir/tests/work/victims/$(build_stamp)
# Removes the entries of other stamps only: another script may have begun to use this one.
if ! [ -d "$build_cache" ]; then
	mkdir -p "$build_cache"
	find "${build_cache%/*}" -mindepth 1 -maxdepth 1 ! -name "${build_cache##*/}" -exec rm -rf {} + 2> /dev/null || :
fi

# build_once COMPILER ARGUMENT... - runs the command, or copies the output of an earlier run with the same inputs.
# Entries appear by rename, so two scripts may make the same entry at the same time. The output of a command is not
# kept if the command prints anything, fails, reads stdin or writes more than its -o FILE.
build_once()
{
	built_output= built_before=first built_files= built_folders=
	for built_word in "$@"; do
		case $built_before in
		first)
			built_before=
			continue ;;
		-o) built_output=$built_word ;;
		esac
		built_before=$built_word
		case $built_word in
		- | -save-temps* | -M* | --coverage | -fprofile* | -ftest-coverage | -gsplit-dwarf | -### | /dev/null)
			built_output=
			break ;;
		-L* | -I*) built_word=${built_word#-?} ;;
		-Wl,*) built_word=${built_word##*[,=]} ;;
		*=*) built_word=${built_word#*=} ;;
		esac
		if [ "$built_before" = "$built_output" ]; then
			continue
		elif [ -f "$built_word" ]; then
			built_files="$built_files $built_word"
		elif [ -d "$built_word" ]; then
			built_folders="$built_folders $built_word"
		fi
	done
	if [ -z "$built_output" ] || [ -z "$built_files" ] || [ -e spoor_config.toml ]; then
		"$@"
		return
	fi
	# A local source includes local files, and its debug information names the folder.
	case "$built_files" in
	*' '[!/]* | *" $work"*) built_folders="$built_folders $PWD" ;;
	esac
	# shellcheck disable=SC2086
	built_key=$({
		printf '%s\n' "$@" "$built_folders"
		env | grep -E '^(SPOOR_CC|SPOOR_CXX|SPOOR_INSTRUMENTATION|C(PLUS)?_INCLUDE_PATH|CPATH|LIBRARY_PATH)' || :
		sha1sum $built_files
		[ -z "$built_folders" ] || find $built_folders -maxdepth 1 \( -name '*.h' -o -name '*.a' -o -name '*.so*' \) \
			! -path "*/$built_output" -type f -exec sha1sum {} + | sort
	} | sha1sum | cut -d ' ' -f 1)
	built_entry=$build_cache/$built_key
	if [ -e "$built_entry" ]; then
		cp --remove-destination "$built_entry" "$built_output"
		return
	fi
	built_status=0
	"$@" 2> "built.$$" || built_status=$?
	if [ -s "built.$$" ]; then
		cat "built.$$" >&2
	elif [ $built_status = 0 ] && [ -f "$built_output" ]; then
		cp "$built_output" "$built_entry.$$" && mv "$built_entry.$$" "$built_entry"
	fi
	rm -f "built.$$"
	return $built_status
}
