# SPDX-License-Identifier: MIT
# build_cache.sh - builds each victim once for all scripts; for life.sh to source. What the drivers, the plugins, the
# stub, the compilers, the flags and the sources make is kept in tests/work/victims of the build folder. A change of
# one of these makes a new entry, so nothing stale is used. Scripts that test the drivers themselves do not use it.

# build_stamp - prints a checksum of all that takes part in every build.
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
if ! [ -d "$build_cache" ]; then
	rm -rf "${build_cache%/*}"
	mkdir -p "$build_cache"
fi

# build_once COMPILER ARGUMENT... - runs it, or copies what the same command made before of the same inputs. Entries appear
# by rename, so two scripts may make the same one at the same time. A command that prints anything, fails, reads stdin
# or writes more than its -o FILE is not kept.
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
	# What a local source includes is local too, and its debug information names the folder.
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
