#!/bin/sh
# SPDX-License-Identifier: MIT
# spoor_opt.sh - spoor_opt instruments bitcode from compilers, at every level, like the plugin. It writes the
# requested format to the requested place, produces valid code, writes no bitcode to a terminal, and reports errors in
# its input.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
source=$top_srcdir/tests/programs/instrumentation
work_folder spoor_opt
unset $(env | sed -n 's/^\(SPOOR_INSTRUMENTATION_[A-Z_]*\)=.*/\1/p')
use_llvm "$LLVM_MAJOR" || fail "there is no plugin for LLVM $LLVM_MAJOR"

# refused STATUS TEXT ARGUMENT... - checks that spoor_opt fails with STATUS, writes nothing, and gives the reason.
refused()
{
	refused_status=$1 refused_text=$2
	shift 2
	status=0
	"$spoor_opt" "$@" < plain.bc > refused.out 2> refused.err || status=$?
	[ "$status" = "$refused_status" ] ||
		fail "spoor_opt $*: status $status instead of $refused_status: $(cat refused.err)"
	grep -q -- "$refused_text" refused.err || fail "spoor_opt $*: no '$refused_text' in: $(cat refused.err)"
	[ ! -s refused.out ] || fail "spoor_opt $* wrote an output although it failed"
}

# same FILE FILE - compares the files, except comments.
same()
{
	sed 's/ *;.*//' "$1" > same.1
	sed 's/ *;.*//' "$2" | cmp same.1 -
}

"$clang" "$source/plain.c" -c -o plain.o
"$clangxx" "$source/shapes.cc" "$source/user.cc" "$source/main.cc" plain.o -o plain
expected=$(./plain)

# The output and the table are valid at every level, with every LLVM. Without SPOOR_LONG only two levels of the
# configured LLVM are tested.
llvms=$LLVM_MAJOR levels='0 2'
[ -z "${SPOOR_LONG-}" ] || llvms=$(all_llvms) levels='0 1 2 3 s z'
for llvm in $llvms; do
	use_llvm "$llvm"
	for level in $levels; do
		for unit in shapes user main; do
			"$clangxx" -O$level -g -fPIC -c -emit-llvm -o - "$source/$unit.cc" | "$spoor_opt" |
				"$clangxx" -O$level -fPIC -x ir -c - -o $unit.o
		done
		"$clang" -O$level -g -fPIC -c -emit-llvm -o - "$source/plain.c" | "$spoor_opt" |
			"$clang" -O$level -fPIC -x ir -c - -o plain.o
		"$clangxx" -pie main.o shapes.o user.o plain.o -fuse-ld="$llvm_bin/ld.lld" -Wl,-u,spoor_dso_anchor "$stub" \
			-o program
		table_is_exact program 10 1
		[ "$(./program)" = "$expected" ] ||
			fail "clang $llvm -O$level: the program prints another output than $expected"
	done
done
use_llvm "$LLVM_MAJOR"

# The plugin and spoor_opt make the same code, and a second run changes nothing.
"$clangxx" -O2 -S -emit-llvm "$source/shapes.cc" -o shapes.ll
"$opt" -load-pass-plugin="$plugin" -passes=inject-spoor-instrumentation -S shapes.ll -o plugin.ll
"$spoor_opt" --output_language=IR shapes.ll > opt.ll
same plugin.ll opt.ll || fail "the plugin and spoor_opt make different code (see above)"
"$spoor_opt" --output_language ir --output_file=again.ll opt.ll
same opt.ll again.ll || fail "a second run of spoor_opt changes the code (see above)"
echo '__attribute__((xray_never_instrument)) void left(void) {} void taken(void) {} void ruled(void) {}' |
	"$clang" -x c -S -emit-llvm - -o some_left.ll
printf "[[block]]\nfunction_linkage_name = 'ruled'\n" > ruled
for mode in sled call order; do
	"$spoor_opt" --mode=$mode --filters_file=ruled --output_language=ir some_left.ll > once.ll
	"$spoor_opt" --mode=$mode --output_language=ir once.ll > again.ll
	same once.ll again.ll || fail "mode $mode: a second run changes functions that were excluded (see above)"
done
"$spoor_opt" shapes.ll | "$spoor_opt" -output_language=ir -inject_instrumentation=no - > again.ll
same opt.ll again.ll || fail "code that must not be instrumented was changed (see above)"
"$spoor_opt" --noinject_instrumentation --output_language=ir shapes.ll | grep -v '^source_filename\|^; ModuleID\|!DIFile' |
	grep -q spoor &&
	fail "--noinject_instrumentation instruments the code"
"$spoor_opt" --module_id=mine --output_language=ir shapes.ll > one.ll
sed 's/nounwind/nounwind nosync/' shapes.ll > other_content.ll
"$spoor_opt" --module_id=mine --output_language=ir other_content.ll | grep '!.*= !{i32' > two.units
grep '!.*= !{i32' one.ll | cmp - two.units || fail "the same module ID gives other unit IDs (see above)"
grep '!.*= !{i32' opt.ll | cmp -s - two.units && fail "a module ID does not change the unit ID: $(cat two.units)"

# Errors give a message, and no output is written.
"$clang" -O2 -c -emit-llvm "$source/plain.c" -o plain.bc
refused 2 'unknown option' --no_such_option=1
refused 2 'unknown value "maybe": use true or false' --enable_runtime=maybe
refused 2 'unknown value "c": use bitcode or ir' --output_language=c
refused 2 'the value is missing' --output_file
refused 2 'too many arguments' a.ll b.ll
refused 1 'No such file' no_such_file.ll
refused 1 'as bitcode or IR of LLVM' "$source/plain.c"
refused 1 'is empty' /dev/null
refused 1 'cannot write no.such.folder: No such file' --output_file=no/such/folder
refused 1 'cannot write .dev.full: No space' --output_file=/dev/full
printf 'define void @f() {\n  %%x = add i32 %%y, 1\n  %%y = add i32 1, 1\n  ret void\n}\n' > not_valid.ll
refused 1 "the input module is invalid according to LLVM's verifier" not_valid.ll
"$spoor_opt" plain.bc > /dev/full 2> err && fail "a full disk gives no error"
grep -q 'cannot write standard output' err || fail "the message does not name the standard output: $(cat err)"
"$spoor_opt" --version | grep -q "^Based on LLVM $LLVM_MAJOR" ||
	fail "--version does not show the version of LLVM: $("$spoor_opt" --version)"

# Help is available under all names that Spoor has for it, with examples, and for some of the options.
"$spoor_opt" --help > help
grep -q '^Examples:' help || fail "--help shows no examples: $(cat help)"
for name in -h -help --helpfull -helpfull --helpshort; do
	"$spoor_opt" $name --no_such_option | cmp help - || fail "$name prints another text than --help (see above)"
done
"$spoor_opt" --help=OUTPUT > help.part
equal_parts=$(grep -c '^  --' help.part)
[ "$equal_parts" = "$(grep '^  --' help | grep -ci output)" ] && [ "$(grep -vc '^  --' help.part)" = 0 ] ||
	fail "--help=OUTPUT does not show exactly the output options: $(cat help.part)"
refused 2 '--help=nothing: no option' --help=nothing

# A module ID also becomes the name of the module.
"$spoor_opt" --module_id=mine --output_language=ir shapes.ll | grep -q "^; ModuleID = 'mine'" ||
	fail "--module_id does not change the module's name"
"$spoor_opt" --output_language=ir shapes.ll | grep -q "^; ModuleID = 'shapes.ll'" ||
	fail "the module's name changes without --module_id"

# A terminal gets no bitcode unless it is forced; IR is allowed.
cat > terminal.py <<'END'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
try:
    while chunk := os.read(terminal, 4096):
        text += chunk
except OSError:
    pass
sys.stdout.buffer.write(text)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
python3 terminal.py "$spoor_opt" plain.bc > out && fail "bitcode was written to a terminal"
grep -q 'standard output is a terminal' out ||
	fail "the message does not say that bitcode is not for a terminal: $(cat out)"
python3 terminal.py "$spoor_opt" --output_file=/dev/tty plain.bc > out && fail "bitcode was written to /dev/tty"
python3 terminal.py "$spoor_opt" --force_binary_output plain.bc | grep -q BC ||
	fail "--force_binary_output writes no bitcode to a terminal"
python3 terminal.py "$spoor_opt" --output_language=ir plain.bc | grep -q '^define' ||
	fail "no IR was written to a terminal"

# File, environment, command line: the later one takes precedence. The file is searched in the parent folders.
mkdir -p up/and/up
echo 'output_language = "ir"' > up/spoor_config.toml
cd up/and/up
"$spoor_opt" ../../../plain.bc | grep -q '^define' || fail "spoor_config.toml in a parent folder is not used"
SPOOR_INSTRUMENTATION_OUTPUT_LANGUAGE=' BitCode ' "$spoor_opt" ../../../plain.bc | grep -q '^define' &&
	fail "the file takes precedence over the environment"
SPOOR_INSTRUMENTATION_OUTPUT_LANGUAGE=bitcode "$spoor_opt" --output_language=ir ../../../plain.bc |
	grep -q '^define' || fail "the environment takes precedence over the command line"
echo 'output_file = "beside"' >> ../../spoor_config.toml
"$spoor_opt" ../../../plain.bc
grep -q '^define' ../../beside || fail "a path in the file is not relative to the file"
cd ../../..

# Errors in these settings also stop compilations with the plugin, with file, line, key and reason.
# says TEXT COMMAND... - checks that the command fails with a message that contains TEXT.
says()
{
	says_text=$1
	shift
	"$@" > out 2> err && fail "$* succeeded despite an error in the settings"
	grep -q -- "$says_text" err || fail "$*: no '$says_text' in: $(cat err)"
}
compile="$clang -O1 -fpass-plugin=$plugin -c $top_srcdir/tests/programs/instrumentation/plain.c -o compiled.o"
says 'spoor: SPOOR_INSTRUMENTATION_NO_SUCH: unknown option' env SPOOR_INSTRUMENTATION_NO_SUCH=1 $compile
says 'SPOOR_INSTRUMENTATION_ENABLE_RUNTIME: unknown value "on": use true' env SPOOR_INSTRUMENTATION_ENABLE_RUNTIME=on $compile
(
	mkdir wrong
	cd wrong
	printf '# one\n\nenable_runtime = "true"\n' > spoor_config.toml
	says 'wrong/spoor_config.toml:3: enable_runtime: must be true or false, without quotes' $compile
	[ ! -e compiled.o ] || fail "an object file was written despite the error"
	says 'wrong/spoor_config.toml:3: enable_runtime: must be' "$spoor_opt" ../plain.bc
	echo 'module_id = 4' > spoor_config.toml
	says 'spoor_config.toml:1: module_id: must be a string, in quotes' $compile
	printf 'module_id = "a"\nmodule_id = "b"\n' > spoor_config.toml
	says 'spoor_config.toml:2: module_id: duplicate of line 1' $compile
	printf 'enabel_runtime = true\n' > spoor_config.toml
	says 'spoor_config.toml:1: enabel_runtime: unknown option' $compile
	printf 'module_id = "a\n' > spoor_config.toml
	says 'spoor_config.toml:1: a string without its closing quote' $compile
	rm spoor_config.toml
	mkdir spoor_config.toml
	says 'cannot read .*spoor_config.toml: Is a directory' $compile
)

# The plugin uses the file too.
echo 'inject_instrumentation = false' > spoor_config.toml
$compile
"$llvm_bin/llvm-readelf" -SW compiled.o | grep -q 'spoor\|xray' && fail "the plugin ignores inject_instrumentation" \
	"= false"
rm spoor_config.toml
$compile
"$llvm_bin/llvm-readelf" -SW compiled.o | grep -q spoor_functions || fail "the plugin does not instrument the code"
