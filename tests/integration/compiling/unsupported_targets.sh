#!/bin/sh
# SPDX-License-Identifier: MIT
# unsupported_targets.sh - for a target without tracing the drivers compile the same code as clang, with one warning,
# which -Werror does not turn into an error. An unusable plugin stops the build with a message.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder unsupported_targets
echo '__attribute__((no_instrument_function)) int a(int x) { return x; } int b(int x) { return a(x) + 2; }' > unit.c

for llvm in $(all_llvms); do
	use_llvm "$llvm"
	for target in i386-pc-linux-gnu x86_64-pc-linux-gnux32 riscv64-linux-gnu bpf x86_64-apple-macos; do
		flags="--target=$target -O2 -Werror -S unit.c"
		"$clang" $flags -o plain.s
		SPOOR_CC=$clang "$driver_c" $flags -o driver.s 2> messages ||
			fail "LLVM $llvm: $target: the compilation failed: $(cat messages)"
		cmp plain.s driver.s || fail "LLVM $llvm: the code for $target differs from clang's (see above)"
		[ "$(wc -l < messages)" = 1 ] && grep -q "^spoor: warning: spoor does not support " messages ||
			fail "LLVM $llvm: $target: there is not exactly one warning: $(cat messages)"
	done
	SPOOR_CC=$clang "$driver_c" -mcmodel=large -O2 -S unit.c -o large.s 2> messages
	grep -q '^spoor: warning: .*mcmodel=large' messages ||
		fail "LLVM $llvm: -mcmodel=large gives no warning: $(cat messages)"
	! grep -q xray_instr_map large.s || fail "LLVM $llvm: code with -mcmodel=large has sleds"
	"$clang" --target=aarch64-linux-gnu -O2 -fpass-plugin="$plugin" -S unit.c -o arm.s 2> messages
	[ ! -s messages ] || fail "LLVM $llvm: compiling for AArch64 printed messages: $(cat messages)"
	grep -q xray_instr_map arm.s || fail "LLVM $llvm: code for AArch64 has no sleds"
done

# No stub for another target, and no macro without instrumentation.
"$driver_c" --target=i386-pc-linux-gnu -### unit.o -o unit 2>&1 | grep -q spoor_dso &&
	fail "the stub is linked for another target"
echo __SPOOR__ > macro.c
"$driver_c" -E -P macro.c | grep -qx 1 || fail "__SPOOR__ is not 1"
"$driver_c" -E -P -m32 macro.c | grep -qx __SPOOR__ || fail "__SPOOR__ is defined with -m32"
"$driver_c" -E -P -fno-spoor macro.c | grep -qx __SPOOR__ || fail "__SPOOR__ is defined with -fno-spoor"

# refused VARIABLE VALUE MESSAGE ARGUMENTS - checks that the driver fails with status 1 and one message.
refused()
{
	variable=$1 value=$2 message=$3
	shift 3
	if env "$variable=$value" "$driver_c" "$@" > output 2>&1; then
		fail "$* succeeds with $variable=$value"
	elif [ $? != 1 ]; then
		fail "$* with $variable=$value does not end with status 1"
	fi
	grep -q "$message" output || fail "$*: no '$message' in: $(cat output)"
	[ "$(wc -l < output)" = 1 ] || fail "$*: more than one message: $(cat output)"
}

refused SPOOR_CC /nonexistent/clang 'cannot run .*/nonexistent/clang: No such file' -c unit.c
refused SPOOR_CC "$driver_c" 'names a program that runs this program again\|is this program itself' -c unit.c
# The driver uses the first executable file in PATH.
mkdir -p first/clang second
ln -s "$driver_c" second/clang
(
	PATH=$PWD/first:$PWD/second:${driver_c%/*}:$PATH
	refused SPOOR_CC clang 'SPOOR_CC=clang is this program itself' -c unit.c
	refused SPOOR_CC spoor-cc 'SPOOR_CC=spoor-cc is this program itself' -c unit.c
	cd second
	PATH=:/usr/bin:/bin
	refused SPOOR_CC clang 'SPOOR_CC=clang is this program itself' -c unit.c
)
printf '#!/bin/sh\nexec "%s" "$@"\n' "$driver_c" > wrapper
chmod +x wrapper
status=0
SPOOR_CC=$PWD/wrapper "$driver_c" -c unit.c > output 2>&1 || status=$?
[ $status = 1 ] || fail "a script that runs the driver again: status $status: $(cat output)"
grep -q 'runs this program again' output ||
	fail "a script that runs the driver again: the message does not say so: $(cat output)"
refused SPOOR_CC /bin/true 'neither clang nor GCC' -c unit.c
printf '#!/bin/sh\necho "clang version 3.4 (x)"\n' > clang-3.4
chmod +x clang-3.4
refused SPOOR_CC "$PWD/clang-3.4" 'clang 3, for which there is no plugin' -c unit.c
refused X 1 'unknown mode' -fspoor-mode=sledge -c unit.c
refused X 1 'unknown option' -fspoor-everything -c unit.c
echo @loop > loop
refused X 1 'too deeply' @loop

# A copy of the driver without its other files.
if ! [ -e /usr/local/lib/spoor ]; then
	mkdir -p lonely/bin
	cp "$driver_c" lonely/bin/
	driver_c=$PWD/lonely/bin/spoor-cc
	refused X 1 'cannot find the plugin at .*libspoor_instrumentation.so' -c unit.c
	refused X 1 'cannot find the registration stub at .*libspoor_dso.a' unit.o -o unit
	"$driver_c" -fno-spoor -c unit.c
fi
