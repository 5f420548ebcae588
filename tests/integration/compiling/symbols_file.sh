#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols_file.sh - the symbols file is a message of Spoor's format, which protoc reads by Spoor's definition. It
# describes every function, instrumented or not; the same source gives the same bytes; and its numbers match the
# function table.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
source=$top_srcdir/tests/programs/instrumentation
work_folder symbols_file
unset $(env | sed -n 's/^\(SPOOR_INSTRUMENTATION_[A-Z_]*\)=.*/\1/p') SOURCE_DATE_EPOCH
use_llvm "$LLVM_MAJOR" || fail "there is no plugin for LLVM $LLVM_MAJOR"
command -v protoc > /dev/null || fail "protoc is missing: apt-get install protobuf-compiler"

# Spoor's definition; its time stamp is Google's.
cat > spoor.proto <<'END'
syntax = "proto3";
package spoor.instrumentation.symbols;
message Timestamp { int64 seconds = 1; int32 nanos = 2; }
message FunctionInfo {
  optional string module_id = 1;
  optional string linkage_name = 2;
  optional string demangled_name = 3;
  optional string file_name = 4;
  optional string directory = 5;
  optional int32 line = 6;
  optional int32 ir_instruction_count = 7;
  optional bool instrumented = 8;
  optional string instrumented_reason = 9;
  optional Timestamp created_at = 10;
}
message FunctionInfos { repeated FunctionInfo function_infos = 1; }
message Symbols { map<uint64, FunctionInfos> function_symbols_table = 1; }
END
cat > two.cc <<'END'
namespace n { int f(int x) { return x + 1; } }
int g() { return 0; }
__attribute__((xray_never_instrument)) int
h(int x)
{
	return x ? n::f(x) : g();
}
END

# described FILE - prints one line for each function: the key, then the fields.
described()
{
	protoc --proto_path=. --decode=spoor.instrumentation.symbols.Symbols spoor.proto < "$1" |
		awk '
		/^ *key:/ { key = $2 }
		/^ *[a-z_]*: / && !/key:/ { name = $1; sub(/^ *[a-z_]*: /, ""); gsub(/"/, ""); line = line " " name $0 }
		/^}/ { print key line; line = "" }'
}

export SOURCE_DATE_EPOCH=1600000000
"$clangxx" -O1 -g -c -emit-llvm two.cc -o two.bc
for times in 1 2; do
	"$spoor_opt" --output_symbols_file=symbols$times two.bc > instrumented.bc
done
cmp symbols1 symbols2 || fail "the same source gives other bytes (see above)"
described symbols1 > lines
here=$(pwd)
cat > wanted <<END
module_id:two.cc linkage_name:_ZN1n1fEi demangled_name:n::f(int) file_name:two.cc directory:$here line:1 ir_instruction_count:2 instrumented:true seconds:1600000000
module_id:two.cc linkage_name:_Z1gv demangled_name:g() file_name:two.cc directory:$here line:2 ir_instruction_count:1 instrumented:true seconds:1600000000
module_id:two.cc linkage_name:_Z1hi demangled_name:h(int) file_name:two.cc directory:$here line:4 ir_instruction_count:0 instrumented:false instrumented_reason:an attribute excludes the function seconds:1600000000
END
# The optimiser determines how h is compiled; "opt" counts its instructions.
count=$("$opt" -passes='print<func-properties>' -disable-output two.bc 2>&1 |
	awk '/_Z1hi/ { here = 1 } here && /TotalInstructionCount/ { print $2; exit }')
sed -i "s/count:0/count:${count:-0}/" wanted
cut -d' ' -f2- lines | diff wanted - || fail "the descriptions differ (wanted <, got >) (see above)"

# The keys match the function table.
"$clangxx" -x ir instrumented.bc -shared -o two.so
table two.so | sort > in_table
while read -r key rest; do
	case $rest in
	*instrumented:true*) echo "$((key >> 32)) $((key & 0xffffffff))" ;;
	esac
done < lines | sort > in_symbols
cut -d' ' -f2,3 in_table | sort | diff in_symbols - ||
	fail "the numbers in the symbols (<) and in the function table (>) differ (see above)"

# With instrumentation disabled, and for a target without tracing, all functions are described.
"$spoor_opt" --noinject_instrumentation --output_symbols_file=off --module_id=mine two.bc > /dev/null
described off | grep -c 'module_id:mine.*instrumented:false instrumented_reason:inject_instrumentation is false' |
	grep -qx 3 || fail "disabled instrumentation: the descriptions differ: $(described off)"
"$clangxx" -m32 -O1 -c -emit-llvm two.cc -o two32.bc
"$spoor_opt" --output_symbols_file=no_target two32.bc 2> err > /dev/null
described no_target | grep -c 'instrumented:false instrumented_reason:spoor does not support the target' |
	grep -qx 3 || fail "a target without tracing: the descriptions differ: $(described no_target)"

# Without SOURCE_DATE_EPOCH the time is the current time. The plugin writes the same, and concatenated files are one
# message.
unset SOURCE_DATE_EPOCH
before=$(date +%s)
SPOOR_INSTRUMENTATION_OUTPUT_SYMBOLS_FILE=of_plugin "$clangxx" -O1 -g -fpass-plugin="$plugin" -c two.cc -o two.o
created=$(described of_plugin | sed -n '1s/.*seconds:\([0-9]*\).*/\1/p')
[ "$created" -ge "$before" ] && [ "$created" -le "$(date +%s)" ] ||
	fail "the time of creation is $created, which is not the current time"
described of_plugin | sed 's/^[0-9]* //; s/ seconds:.*//' > plugin_lines
sed 's/ seconds:.*//' wanted | diff - plugin_lines || fail "the plugin's descriptions differ (>) (see above)"
cat symbols1 of_plugin > both
[ "$(described both | wc -l)" -ge 3 ] || fail "two concatenated files are not one message"

# Code that is already instrumented keeps its numbers.
for mode in sled call; do
	SPOOR_INSTRUMENTATION_OUTPUT_SYMBOLS_FILE=first SPOOR_INSTRUMENTATION_MODE=$mode \
		"$clangxx" -O1 -g -fpass-plugin="$plugin" -c -emit-llvm two.cc -o of_plugin.bc
	"$spoor_opt" --output_symbols_file=again of_plugin.bc > instrumented.bc
	described first | cut -d' ' -f1-3 > first_lines
	described again | cut -d' ' -f1-3 | diff first_lines - ||
		fail "$mode mode: a second run numbers the functions differently (>) (see above)"
done

# Errors stop the build.
! SOURCE_DATE_EPOCH=yesterday "$spoor_opt" --output_symbols_file=x two.bc > out 2> err ||
	fail "a wrong SOURCE_DATE_EPOCH is accepted: $(cat err)"
grep -q SOURCE_DATE_EPOCH err || fail "the message does not name SOURCE_DATE_EPOCH: $(cat err)"
! "$spoor_opt" --output_symbols_file=no/such two.bc > out 2> err ||
	fail "a symbols file in a missing folder is accepted: $(cat err)"
grep -q 'cannot write the symbols file no/such: No such file' err ||
	fail "the message does not name the symbols file: $(cat err)"
! "$spoor_opt" --output_symbols_file=/dev/full two.bc > out 2> err || fail "a full disk gives no error"
[ ! -s out ] || fail "code was written despite the error"
