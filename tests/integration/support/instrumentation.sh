# SPDX-License-Identifier: MIT
# instrumentation.sh - functions for scripts that examine instrumented files; scripts source this file. Independent
# tools read the files: llvm-xray the sled map, llvm-objdump entries that are a nop, od the function table.

driver_c=$SPOOR_DRIVERS/spoor-cc
driver_cxx=$SPOOR_DRIVERS/spoor-c++
stub=$top_builddir/libspoor_dso/libspoor_dso.a
LC_ALL=C
export LC_ALL

fail()
{
	echo "$0: $*" >&2
	exit 1
}

# use_llvm MAJOR - sets clang, clangxx, opt, plugin, spoor_opt and llvm_bin. Fails if there is no such compiler or
# plugin.
use_llvm()
{
	if [ "$1" = "$LLVM_MAJOR" ]; then
		llvm_bin=$LLVM_BINDIR
		plugin=$top_builddir/pass/.libs/libspoor_instrumentation.so
		spoor_opt=$top_builddir/pass/spoor_opt
	else
		llvm_bin=$("llvm-config-$1" --bindir 2>/dev/null) || return 1
		plugin=$top_builddir/pass/llvm-$1/.libs/libspoor_instrumentation.so
		spoor_opt=$top_builddir/pass/llvm-$1/spoor_opt
	fi
	clang=$llvm_bin/clang
	clangxx=$llvm_bin/clang++
	opt=$llvm_bin/opt
	[ -x "$clang" ] && [ -f "$plugin" ]
}

# all_llvms - prints the versions of LLVM that have a compiler and a plugin.
all_llvms()
{
	for major in 14 19 22; do
		if (use_llvm "$major"); then
			echo "$major"
		fi
	done
}

# sleds FILE - prints a line "FUNCTION KIND" for each sled of a linked file.
sleds()
{
	"$llvm_bin/llvm-xray" extract "$1" 2>/dev/null |
		sed -n 's/^- {.*function: 0x\([0-9A-Fa-f]*\), kind: \([a-z-]*\).*/\1 \2/p' |
		tr A-F a-f > "$1.map"
	"$llvm_bin/llvm-nm" --defined-only "$1" | sed -n 's/^0*\([0-9a-f]*\) [Ttw] .*/\1/p' | cat "$1.map" - > "$1.begins"
	"$llvm_bin/llvm-objdump" -d "$1" | nop_entries "$1.begins"
	cat "$1.map"
	rm -f "$1.map" "$1.begins"
}

# nop_entries BEGINS - prints the same lines for each address in BEGINS at which the nop of the pass is first, or
# follows a landing pad. Reads disassembly from stdin.
nop_entries()
{
	awk '
		FILENAME != "-" {is_begin[$1] = 1; next}
		{at = $1; sub(/:$/, "", at)}
		at in is_begin {begin = at}
		!begin {next}
		/66 66 2e 0f 1f 84 00 00 00 00 00/ {print begin, "function-enter"}
		!/f3 0f 1e fa/ {begin = ""}' "$1" -
}

# table FILE - prints a line "FUNCTION UNIT POSITION FLAGS SIZE" for each entry of the function table.
table()
{
	set -- "$1" $("$llvm_bin/llvm-readelf" -SW "$1" |
		sed -n 's/.* spoor_functions *PROGBITS *\([0-9a-f]*\) \([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2 \3/p')
	[ $# -eq 4 ] || return 0
	od -A n -v -t d4 -w16 -j $((0x$3)) -N $((0x$4)) "$1" |
		awk -v address=$((0x$2)) '{
			printf "%x %u %u %u %u\n", address + 16 * (NR - 1) + $1, $3 + ($3 < 0) * 4294967296,
				$4 % 16777216, $4 / 16777216, $2
		}'
}

# symbols FILE - prints a line "ADDRESS SIZE KIND NAME" for each symbol with a size, in the order that join needs. A
# symbol without a size shares its address with another symbol.
symbols()
{
	"$llvm_bin/llvm-nm" --defined-only --print-size "$1" |
		sed -n 's/^0*\([0-9a-f][0-9a-f]* \)0*\([1-9a-f][0-9a-f]* [A-Za-z] \)/\1\2/p' | sort -u
}

# names FILE - prints the names of the functions with sleds, sorted.
names()
{
	sleds "$1" | cut -d ' ' -f 1 | sort -u > "$1.sleds"
	symbols "$1" | join -o 2.4 "$1.sleds" - | sort -u
	rm -f "$1.sleds"
}

# table_is_exact FILE [LEAST [UNNAMED]] - checks that the table has one entry for each function with sleds, at least
# LEAST functions, and no dynamic relocation. Each function must have one entry sled. All but UNNAMED functions must
# have a name in the symbol table, with the same size as the entry.
table_is_exact()
{
	sleds "$1" > "$1.all_sleds"
	table "$1" > "$1.table"
	cut -d ' ' -f 1 "$1.all_sleds" | sort -u > "$1.with_sleds"
	sed -n 's/ function-enter$//p' "$1.all_sleds" | sort > "$1.with_entry_sled"
	cut -d ' ' -f 1 "$1.table" | sort > "$1.in_table"
	cmp -s "$1.with_sleds" "$1.in_table" ||
		fail "$1: the function table differs from the functions with sleds:" \
			"$(diff "$1.with_sleds" "$1.in_table" | head)"
	cmp -s "$1.with_sleds" "$1.with_entry_sled" ||
		fail "$1: not every function with sleds has one entry sled:" \
			"$(diff "$1.with_sleds" "$1.with_entry_sled" | head)"
	symbols "$1" > "$1.symbols"
	cut -d ' ' -f 1 "$1.symbols" | sort -u > "$1.with_name"
	[ "$(comm -23 "$1.with_sleds" "$1.with_name" | wc -l)" -le "${3-0}" ] ||
		fail "$1: functions with sleds have no name in the symbol table:" \
			"$(comm -23 "$1.with_sleds" "$1.with_name")"
	[ "$(wc -l < "$1.in_table")" -ge "${2-1}" ] ||
		fail "$1: only $(wc -l < "$1.in_table") functions have sleds, and at least ${2-1} must have them"
	cut -d ' ' -f 1,5 "$1.table" | grep -v ' 0$' | sort -u > "$1.sizes"
	join --check-order -o 1.2,2.2,2.4 "$1.sizes" "$1.symbols" > "$1.compared" ||
		fail "$1: join cannot compare all sizes with the symbol table"
	while read -r entry_size symbol_size name; do
		[ $((0x$symbol_size)) = "$entry_size" ] ||
			fail "$1: the table says that $name has $entry_size bytes, and the symbol table says" \
				"0x$symbol_size"
	done < "$1.compared"
	"$llvm_bin/llvm-readelf" -SW "$1" |
		sed -n 's/.* spoor_functions *PROGBITS *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .*/\1 \2/p' > "$1.place"
	read -r table_begin table_size < "$1.place"
	"$llvm_bin/llvm-readelf" -rW "$1" | sed -n 's/^0*\([0-9a-f][0-9a-f]*\)  *[0-9a-f]* R_.*/\1/p' |
		while read -r place; do
		[ $((0x$place)) -lt $((0x$table_begin)) ] ||
			[ $((0x$place)) -ge $((0x$table_begin + 0x$table_size)) ] ||
			fail "$1: the function table has a dynamic relocation at 0x$place"
	done
	rm -f "$1.all_sleds" "$1.table" "$1.with_sleds" "$1.with_entry_sled" "$1.in_table" "$1.with_name" "$1.symbols" \
		"$1.sizes" "$1.compared" "$1.place"
}

# work_folder NAME - creates an empty folder for this script and changes to it.
work_folder()
{
	rm -rf "$top_builddir/tests/work/$1"
	mkdir -p "$top_builddir/tests/work/$1"
	cd "$top_builddir/tests/work/$1"
}

# need_rust - skips the test if no Rust compiler has the configured LLVM.
need_rust()
{
	command -v rustc > /dev/null || skip "no rustc: apt-get install rustc"
	rustc --version -v | grep -q "LLVM version: $LLVM_MAJOR" || skip "rustc has another LLVM than $LLVM_MAJOR"
}
