#!/bin/sh
# SPDX-License-Identifier: MIT
# languages_long.sh - programs in C++, Objective-C, Rust, D and Fortran are traced, in each way that their compilers
# support: each function has the calls that the program counts itself, under its name in the source, below its caller.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
. "$top_srcdir/tests/integration/support/debian_binary.sh"
work_folder languages
unset $(env | sed -n 's/^\(SPOOR_INSTRUMENTATION_[A-Z_]*\)=.*/\1/p')
spoor=$top_builddir/tools/spoor
sources=$top_srcdir/tests/programs/languages
packages=$top_builddir/tests/work/packages
mkdir -p "$packages"
missing=

# counted PROGRAM - compares the calls that the program prints with the trace.
counted()
{
	rm -rf spoor.trace
	"$1" > own || fail "$1: the untraced program ended with status $?"
	"$spoor" record -q "$1" > traced
	cmp own traced || fail "$1: the output differs when the program is traced (see above)"
	[ "$(wc -l < own)" -ge 3 ] || fail "$1: the program counts fewer than three functions: $(cat own)"
	"$spoor" report --format=csv > report.csv
	python3 - own report.csv <<'END_OF_PYTHON' || fail "$1: the trace has other calls than the program counted (see above)"
import csv, sys
traced = {}
for row in csv.DictReader(open(sys.argv[2])):
    traced[row["function"]] = traced.get(row["function"], 0) + int(row["calls"])
wrong = 0
for line in open(sys.argv[1]):
    name, calls = line.rstrip("\n").rsplit(",", 1)
    # the parameters of a template or a trait are shown by some demanglers and not by others
    found = sum(count for function, count in traced.items() if function == name or function.endswith(" " + name))
    if found != int(calls):
        wrong = 1
        print(f"{name}: {calls} calls, {found} in the trace", file=sys.stderr)
if wrong:
    print("\n".join(sorted(traced)), file=sys.stderr)
sys.exit(wrong)
END_OF_PYTHON
	"$spoor" info | grep -q 'lost *nothing' || fail "$1: events were lost: $("$spoor" info)"
}

# below PROGRAM CALLER CALLEE - checks that the tree has this call below its caller.
below()
{
	"$spoor" replay --full-names > replayed
	grep -F -A 1 " $2 $1 {" replayed | grep -qF " $3 $1" || fail "$1: $3 is not below $2: $(head -n 60 replayed)"
}

for llvm in $(all_llvms); do
	use_llvm "$llvm"
	SPOOR_CXX=$clangxx "$driver_cxx" -std=c++20 -O1 "$sources/shapes.cc" -o cxx$llvm
	counted ./cxx$llvm
	below cxx$llvm 'calls_what_throws(int)' 'throws(int)'
	"$spoor" report | grep -q 'upto(int).*\.resume' ||
		fail "LLVM $llvm: a coroutine that continues is not traced: $("$spoor" report)"
	"$clang" -g -fobjc-runtime=gcc -idirafter "$(dirname "$(gcc -print-libgcc-file-name)")/include" -O1 \
		-fpass-plugin="$plugin" -c "$sources/shapes.m" -o objc$llvm.o
	SPOOR_CC=$clang "$driver_c" objc$llvm.o -lobjc -o objc$llvm
	counted ./objc$llvm
	below objc$llvm 'main()' '-[Shape(Scaling) scale:by:]'
done

# rust FOLDER COMMAND... - runs a program of the unpacked packages.
rust()
{
	rust_folder=$1/usr
	shift
	LD_LIBRARY_PATH=$rust_folder/lib/x86_64-linux-gnu "$rust_folder/bin/rustc" --sysroot "$rust_folder" -O "$@"
}

cat > tiny.rs << 'END'
#[inline(always)]
fn triple(number: usize) -> usize { number * 3 }

fn main() {
    println!("{}", triple(std::env::args().count()));
}
END

# rust_by_linker NAME FOLDER MAJOR - the linker optimises, and loads the plugin.
rust_by_linker()
{
	use_llvm "$3" || fail "there is no plugin for LLVM $3"
	SPOOR_CC=$clang rust "$2" -C linker-plugin-lto -C linker="$driver_c" -C link-arg=-fuse-ld="$llvm_bin/ld.lld" \
		-C link-arg=-Wl,--load-pass-plugin="$plugin" "$sources/shapes.rs" -o "$1"
	counted "./$1"
	below "$1" 'shapes::calls_what_panics()' 'shapes::panics()'
	"$spoor" report | grep -q ' shapes::main$' || fail "$1: the trace has no main: $("$spoor" report)"
}

# rust_inlined FOLDER - the message about a function that was inlined has Rust's own remedy.
rust_inlined()
{
	SPOOR_CC=$clang rust "$1" -g -C linker-plugin-lto -C linker="$driver_c" -C link-arg=-fuse-ld="$llvm_bin/ld.lld" \
		-C link-arg=-Wl,--load-pass-plugin="$plugin" tiny.rs -o tiny
	! "$spoor" record -f tiny::triple ./tiny > out 2> err || fail "rust: an inlined function was recorded"
	grep -q 'triple was inlined into tiny.rs:5 (tiny::main); give tiny::triple the attribute inline(never)' err ||
		fail "rust: $(cat err)"
}

# rustc passes bitcode to the linker, and this script passes it through spoor_opt.
cat > link_bitcode <<'END_OF_SCRIPT'
#!/bin/sh
set -e
for word in "$@"; do
	case $word in
	*.rcgu.o)
		if "$llvm_bin/llvm-bcanalyzer" --dump "$word" > /dev/null 2>&1; then
			"$spoor_opt" --output_file="$word.instrumented" "$word"
			mv "$word.instrumented" "$word"
		fi ;;
	esac
done
exec "$driver_c" "$@"
END_OF_SCRIPT
chmod +x link_bitcode

# rust_by_bitcode NAME FOLDER MAJOR - spoor_opt instruments the bitcode before the link.
rust_by_bitcode()
{
	use_llvm "$3" || fail "there is no plugin for LLVM $3"
	export llvm_bin spoor_opt driver_c
	SPOOR_CC=$clang rust "$2" -C linker-plugin-lto -C linker=./link_bitcode -C link-arg=-fuse-ld="$llvm_bin/ld.lld" \
		"$sources/shapes.rs" -o "$1"
	counted "./$1"
	below "$1" 'shapes::calls_what_panics()' 'shapes::panics()'
}

if debian_binary "$packages/rust-1.63" rustc libstd-rust-1.63 libstd-rust-dev; then
	rust_by_linker rust_old_linked_19 "$packages/rust-1.63" 19
	rust_by_linker rust_old_linked_22 "$packages/rust-1.63" 22
	rust_by_bitcode rust_old_bitcode "$packages/rust-1.63" 14
else
	missing="$missing rustc"
fi
web=$(apt-cache depends libstd-rust-web-dev 2> err | sed -n 's/.*Depends: \(libstd-rust-web-[0-9.]*\)$/\1/p' | head -n 1)
if [ -n "$web" ] && debian_binary "$packages/rust-web" rustc-web "$web" libstd-rust-web-dev; then
	rust "$packages/rust-web" --version -v | grep -q 'LLVM version: 22' ||
		fail "rustc-web has another LLVM than 22: $(rust "$packages/rust-web" --version -v)"
	rust_by_linker rust_web_linked_22 "$packages/rust-web" 22
	rust_inlined "$packages/rust-web"
	rust_by_bitcode rust_web_bitcode "$packages/rust-web" 22
else
	missing="$missing rustc-web"
fi

# D: bitcode through spoor_opt, with the LLVM of its compiler.
if command -v ldc2 > /dev/null; then
	use_llvm 14
	ldc2 -O1 --output-bc "$sources/shapes.d" -of=d.bc
	"$spoor_opt" d.bc | "$clang" -Wno-override-module -O1 -x ir -c - -o d.o
	SPOOR_CC=$clang "$driver_c" d.o -lphobos2-ldc-shared -ldruntime-ldc-shared -o d
	counted ./d
	below d 'shapes.callsWhatThrows(int)' 'shapes.throws(int)'
else
	missing="$missing ldc"
fi

# Fortran: its compiler loads the plugin, and the linker program has another name.
flang=/usr/lib/llvm-22/bin/flang
if [ -x "$flang" ]; then
	use_llvm 22
	"$flang" -O1 -mllvm -inline-threshold=-100000 -fpass-plugin="$plugin" -c "$sources/shapes.f90" -o fortran.o
	runtime=$("$flang" -print-resource-dir)/lib/x86_64-pc-linux-gnu
	SPOOR_CC=$clang "$driver_c" fortran.o -L"$runtime" -lflang_rt.runtime -lm -lstdc++ -o fortran
	counted ./fortran
	below fortran 'shapes::scale()' 'shapes::scale::each()'
else
	missing="$missing flang-22"
fi
[ -z "$missing" ] || { echo "languages: not there:$missing"; exit 77; }
