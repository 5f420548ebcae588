#!/bin/sh
# SPDX-License-Identifier: MIT
# driver_arguments.sh - all arguments that are not spoor's reach clang unchanged: for each list, the commands that
# clang would run (-###) and the status are the same for the driver and for clang, apart from spoor's additions. The
# additions are present if they have a use, and absent otherwise. The short form takes every fourth list with -fno-spoor.
#
# Before each list are the necessary additions: M the macro, P the plugin, S the stub (each once for a command that
# needs it), or nothing; then c or c++.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder "driver_arguments${DRIVER_LLVMS+_long}"

for file in a.c b.c c.cc d.S e.s f.h g.hh h.i k.ii l.m n.cpp o.C p.x; do
	echo > $file
done
for file in q.o r.o s.a t.so u.ld v.o.c; do
	echo > "$file"
done
echo 'define void @f() { ret void }' > w.ll
echo '-O2 a.c "-DX=a b" -c' > compile.rsp
echo 'q.o r.o' > objects.rsp
echo '--relocat r.o' > partial.rsp
: > empty.cfg
echo '@objects.rsp -o program' > nested.rsp
echo 'a.c -o program' > "name with blanks.rsp"
printf '%s\n' '-O2' "'-DY=\"x y\"'" '-I\ dir' > quotes.rsp

cat > lists << 'END'
MPS c a.c
MPS c a.c -o program
MPS c a.c b.c -o program
MPS c++ c.cc n.cpp o.C -o program
MPS c a.c q.o s.a -lm -o program
MPS c++ c.cc a.c q.o -o program
MP c -c a.c
MP c -c a.c -o x.o
MP c -c a.c b.c
MP c++ -c c.cc
MP c -S a.c
MP c -S -emit-llvm a.c -o -
MP c -c -emit-llvm a.c
MP c -c -o - a.c
P c -c h.i
P c++ -c k.ii
P c -c w.ll
MP c -c v.o.c
M c -E a.c
M c -E a.c -o -
M c -E -
M c -E -dM -x c /dev/null
M c -M a.c
M c -MM a.c
M c -M -MF deps a.c
MP c -MD -c a.c
MP c -MMD -MF deps -MT x.o -c a.c -o x.o
MPS c -MD a.c -o program
M c -fsyntax-only a.c
M c --analyze a.c
M c --preprocess a.c
MP c --compile a.c
MP c --assemble a.c
M c f.h
M c++ g.hh -o g.pch
M c -x c-header f.h -o f.pch
M c++ -x c++-header f.h
MPS c f.h a.c
MPS c -x c p.x
MPS c -xc p.x -o program
MPS c -x c a.c -x none q.o -o program
MP c -x c -c -
MPS c -x c -
MPS c++ -x c++ -o program - < /dev/null
P c -x ir -c w.ll
P c -x cpp-output -c h.i
MP c -x objective-c -c l.m
 c -c e.s
 c -c d.S
 c -E d.S
 c -S d.S
 c -x assembler -c e.s
 c -x assembler-with-cpp -c p.x
S c e.s -o program
S c d.S q.o -o program
MPS c a.c d.S e.s q.o -o program
S c q.o
S c q.o r.o -o program
S c -o program q.o -lm -lpthread
S c s.a -o program
S c t.so u.ld q.o
S c -shared q.o -o lib.so
S c -shared -fPIC -Wl,-soname,lib.so.1 q.o s.a -o lib.so.1
MPS c -shared -fPIC a.c -o lib.so
S c -static q.o
S c -static-pie q.o
S c -no-pie q.o
S c -nostdlib q.o
S c -nostartfiles -nodefaultlibs q.o
S c++ -shared -nostdlib q.o -lstdc++ -lc
S c -T u.ld q.o
S c -Wl,-T,u.ld -u main -e main -z now q.o
S c -Wl,--whole-archive s.a -Wl,--no-whole-archive q.o
S c -Xlinker --gc-sections q.o
S c -fuse-ld=gold q.o
S c -fuse-ld=lld q.o
S c -flto q.o
MPS c -flto=thin -O2 a.c -o program
MP c -flto -c a.c
S c -Wl,--version
S c -Wl,-v
S c -lm
 c -r q.o r.o -o x.o
 c -r -nostdlib q.o -o x.o
MP c -r a.c -o x.o
 c -nostdlib -Wl,-r q.o -o x.o
 c -nostdlib -Wl,--relocatable q.o -o x.o
 c -nostdlib -Wl,--build-id,-r,--no-undefined q.o
 c -nostdlib -Wl,--reloc q.o
 c -nostdlib -Xlinker -relo q.o
 c -nostdlib -Wl,-x,@partial.rsp q.o
S c -nostdlib -Wl,-x,@objects.rsp
 c -nostdlib -Xlinker -r q.o
 c -nostdlib --for-linker=-r q.o
 c --emit-static-lib q.o -o library.a
M c --driver-mode=cpp a.c
MPS c --driver-mode=g++ a.c
 c --driver-mode=cl a.c
P c -m16 -c a.c
 c
 c++
 c -v
 c -c
 c -E
 c -o program
 c -O2 -Wall
 c --version
 c --help
 c -dumpversion
 c -dumpmachine
 c -print-search-dirs
 c -print-file-name=libc.so
 c -print-prog-name=ld
 c --print-file-name libc.so
 c -print-libgcc-file-name a.c
 c -print-resource-dir
 c -print-multi-os-directory
 c --version a.c
 c -cc1 -E a.c
 c -cc1as --help
MPS c nonexistent.c
S c nonexistent.o
MP c -c nonexistent.c
MP c @compile.rsp
S c @objects.rsp -o program
S c @nested.rsp
MPS c "@name with blanks.rsp"
MP c @quotes.rsp -c a.c
S c @nonexistent.rsp
MP c -c -- a.c
MPS c -- a.c
MP c -Werror -c a.c
S c -Werror q.o
MP c -g -O2 -fPIC -Wall -Wextra -pedantic -std=c99 -DNDEBUG -DX='"a b"' -Idir -I dir -isystem dir -include f.h -c a.c
MP c -D X -U Y -iquote dir -idirafter dir -Xclang -fno-pch-timestamp -mllvm -stats -c a.c
MP c -Xpreprocessor -DX -Xassembler -g -Wa,-g -Wp,-DY -c a.c
MP c -fprofile-instr-generate -fcoverage-mapping -c a.c
MP c -fsanitize=address,undefined -c a.c
S c -fsanitize=address q.o
MP c -pg -c a.c
MPS c -p a.c
S c -pg q.o
MP c -finstrument-functions -c a.c
MP c -fxray-instrument -c a.c
MP c -Xclang -disable-llvm-passes -S -emit-llvm a.c
MP c -fno-integrated-as -c a.c
MP c -save-temps -c a.c
MPS c -save-temps a.c -o program
MP c -march=native -mtune=native -c a.c
MP c --target=x86_64-linux-gnu -c a.c
MP c -target x86_64-unknown-linux-gnu -c a.c
S c --sysroot=/ q.o
S c --sysroot / q.o
P c --target=riscv64-linux-gnu -c a.c
P c --target=bpf -c a.c
P c -m32 -c a.c
P c -m32 a.c
 c -m32 q.o
MPS c -m32 -m64 a.c
MPS c -working-directory . a.c
MP c -ftime-report -c a.c
MP c --config ./empty.cfg -c a.c
M c -emit-ast -c a.c
MP c --serialize-diagnostics x.dia -c a.c
MPS c -L dir -Ldir -l m -Wl,-rpath,dir -rpath dir a.c
END

# normalised FILE - removes the parts that differ from run to run.
normalised()
{
	sed -E 's#/tmp/[^" ]*-[0-9a-f]{6,}\.#TEMPORARY.#g; s#"-stats-file=[^"]*"##g; s/ +/ /g' "$1"
}

# literal TEXT - prints an extended regular expression that matches only this text.
literal()
{
	printf '%s\n' "$1" | sed 's/[][\.*^$+?(){}|#]/\\&/g'
}

# find_ours - writes the expressions of without_ours for $plugin.
find_ours()
{
	literal_plugin=$(literal "$plugin")
	cat > ours.sed << END
		s#("-cc1".*) "-D" "__SPOOR__=1"#\1#
		s#("-cc1".*) "-isystem" "$(literal "$top_builddir/libspoor/include")"#\1#
		s#("-cc1".*) "-load" "$literal_plugin" "-fpass-plugin=$literal_plugin"#\1#
		s#("-cc1".*) "-load" "$literal_plugin"#\1#
		s#("-cc1".*) "-fpass-plugin=$literal_plugin"#\1#
		s#("-cc1".*) "-mllvm" "-spoor-pg-marks=(remove|keep)"#\1#
		s#("-cc1".*) "-pg" "-mfentry"#\1#
		s#(/ld[^ ]*".*) "-X" "-u" "spoor_dso_anchor" "$(literal "$stub")"#\1#
END
}

# without_ours FILE - removes the driver's additions, at the right places only.
without_ours()
{
	sed -E -f ours.sed "$1"
}

# expect_count LETTER TEXT - checks that driver.out has TEXT if and only if the list has LETTER.
expect_count()
{
	found=$(grep -c -- "$2" driver.out || :)
	case $expected in
	*$1*) [ "$found" -ge 1 ] || fail "LLVM $llvm: $language $arguments: $2 is missing in: $(cat driver.out)" ;;
	*) [ "$found" = 0 ] ||
		fail "LLVM $llvm: $language $arguments: $2 is added without a use: $(cat driver.out)" ;;
	esac
}

for llvm in ${DRIVER_LLVMS-$LLVM_MAJOR}; do
	use_llvm "$llvm" || fail "there is no plugin for LLVM $llvm"
	find_ours
	unset SPOOR_CC SPOOR_CXX
	if [ "$llvm" != "$LLVM_MAJOR" ]; then
		export SPOOR_CC="$clang" SPOOR_CXX="$clangxx"
	fi
	count=0
	while IFS= read -r line; do
		expected=${line%% *}
		line=${line#* }
		language=${line%% *}
		arguments=
		[ "$line" = "$language" ] || arguments=${line#* }
		case $language in
		c) compiler=$clang driver=$driver_c ;;
		c++) compiler=$clangxx driver=$driver_cxx ;;
		*) fail "the list has an unknown language: $expected $line" ;;
		esac
		# If clang is called by its parts, -### is not an option; without an input clang prints what it would
		# not do.
		dry='-###'
		case $arguments in -cc1* | *nonexistent*) dry= ;; *'-- '*) arguments="-### $arguments" dry= ;; esac

		expected_status=0
		eval "\"\$compiler\" $arguments $dry" > clang.out 2>&1 < /dev/null || expected_status=$?
		status=0
		eval "\"\$driver\" $arguments $dry" > driver.out 2>&1 < /dev/null || status=$?
		[ $status = $expected_status ] ||
			fail "LLVM $llvm: $language $arguments: status $status instead of $expected_status:" \
				"$(cat driver.out)"
		case $arguments in *nonexistent*)
			# clang would now report missing inputs, but the stub is an input of the driver.
			sed -i '/error: no input files/d' clang.out driver.out ;;
		esac
		normalised clang.out > clang.commands
		without_ours driver.out > driver.rest
		normalised driver.rest > driver.commands
		cmp -s clang.commands driver.commands ||
			fail "LLVM $llvm: $language $arguments: the commands differ from clang's:" \
				"$(diff clang.commands driver.commands)"

		# If clang fails at once, it prints no commands.
		if grep -q 'error: no such file' clang.out; then
			expected=
		fi
		expect_count M '"__SPOOR__=1"'
		expect_count P '"-fpass-plugin='
		expect_count S '"spoor_dso_anchor"'

		# With -fno-spoor the driver adds nothing.
		case ${SPOOR_LONG:+long}$((count % 4))$arguments in
		[123]* | *-cc1*) ;;
		*)
			eval "\"\$driver\" -fno-spoor $arguments $dry" > off.out 2>&1 < /dev/null || :
			sed -i "$([ -n "$dry" ] || echo '/error: no input files/d')" off.out
			normalised off.out | cmp -s clang.commands - ||
				fail "LLVM $llvm: $language -fno-spoor $arguments: the commands differ from" \
					"clang's: $(normalised off.out | diff clang.commands -)"
			;;
		esac
		count=$((count + 1))
	done < lists
	[ $count -ge 60 ] || fail "only $count lists were tested"
	echo "LLVM $llvm: $count lists"

	# spoor's options in a response file do not reach clang, and all other arguments do.
	echo '-c -fno-spoor "-DX=a b" a.c' > ours.rsp
	"$driver_c" @ours.rsp -### > driver.out 2>&1
	"$clang" -c '-DX=a b' a.c -### > clang.out 2>&1
	normalised clang.out > clang.commands
	normalised driver.out | cmp clang.commands - ||
		fail "LLVM $llvm: a response file with options of spoor: the commands differ from clang's (see above)"

	# A file that can be read only once still reaches clang, by itself and from another file.
	echo '@/dev/stdin -o x.o' > piped.rsp
	for file in /dev/stdin piped.rsp; do
		echo '-c "-DX=a b" a.c' | "$driver_c" "@$file" -### > driver.out 2>&1
		echo '-c "-DX=a b" a.c' | "$clang" "@$file" -### > clang.out 2>&1
		normalised clang.out > clang.commands
		without_ours driver.out > driver.rest
		normalised driver.rest | cmp clang.commands - ||
			fail "LLVM $llvm: $file: the driver has read the pipe, so clang gets nothing (see above)"
		grep -q '"-fpass-plugin=' driver.out ||
			fail "LLVM $llvm: $file: the plugin is missing: $(cat driver.out)"
	done

	# Names that clang++ may have.
	for name in c++ spoor-c++-22 c++-22.1 c++22; do
		ln -sf "$driver_cxx" $name
		./$name q.o -### 2>&1 | grep -q '"-lstdc++"' ||
			fail "LLVM $llvm: the driver called $name does not link libstdc++"
	done
	for name in spoor-cc-22 x++-cc; do
		ln -sf "$driver_c" $name
		! ./$name q.o -### 2>&1 | grep -q '"-lstdc++"' ||
			fail "LLVM $llvm: the driver called $name links libstdc++"
	done

	# With several options the last of each pair counts.
	"$driver_c" -fno-spoor -fspoor -c a.c -### 2>&1 | grep -q fpass-plugin ||
		fail "-fspoor after -fno-spoor does not add the plugin"
	! "$driver_c" -fspoor -fno-spoor -c a.c -### 2>&1 | grep -q fpass-plugin ||
		fail "-fno-spoor after -fspoor adds the plugin"
	"$driver_c" -fno-spoor -fspoor-shared q.o -### 2>&1 | grep -q spoor_dso_anchor ||
		fail "-fspoor-shared after -fno-spoor does not add the stub"
	"$driver_c" -fspoor-runtime q.o -### 2>&1 | grep -q 'libspoor\.so' ||
		fail "-fspoor-runtime does not link libspoor.so"
	! "$driver_c" -fspoor-runtime -fspoor-shared q.o -### 2>&1 | grep -q 'libspoor\.so' ||
		fail "-fspoor-shared after -fspoor-runtime links libspoor.so"
	"$driver_c" -fspoor-mode=sled -c a.c -### 2>&1 | grep -q fpass-plugin ||
		fail "-fspoor-mode=sled does not add the plugin"
	# Here -fno-spoor is the value of another option.
	"$driver_c" -c a.c -o -fno-spoor -### 2>&1 | grep -q fpass-plugin ||
		fail "the value of -o was read as an option"
done
