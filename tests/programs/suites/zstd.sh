# SPDX-License-Identifier: MIT
# zstd.sh - for test_suites_long.sh: C, threads, make.
suite_package=libzstd

suite_build()
{
	cp -R "$source_directory/." . &&
		make -s -j"$jobs" -C programs zstd CC="$cc" CFLAGS="$flags" LDFLAGS="$ldflags" AR="$ar" &&
		make -s -j"$jobs" -C tests datagen fuzzer zstreamtest invalidDictionaries legacy decodecorpus poolTests \
			CC="$cc" CFLAGS="$flags" LDFLAGS="$ldflags" AR="$ar"
}

# zstd has no configure. The linked libraries show the results of the makefiles' checks.
suite_configured()
{
	readelf -dW programs/zstd | grep NEEDED | grep -v libspoor_stub
	programs/zstd -vV
}

# Seeds and counts are fixed, because the defaults depend on the time. Under an emulator, the fuzzer's unit tests
# and playTests.sh are skipped because they are slow.
suite_run()
{
	cd tests
	fuzzer='fuzzer -s1 -i60'
	[ -z "$emulated" ] || fuzzer='fuzzer -s1 -i60 -t1'
	for program in "$fuzzer" 'zstreamtest -s1 -i30 -t1' 'zstreamtest --newapi -s1 -i30 -t1' invalidDictionaries \
		legacy poolTests; do
		# shellcheck disable=SC2086
		./$program > last.log 2>&1
		echo "== $program: status $?"
	done
	mkdir -p corpus
	./decodecorpus -s7 -n20 -ocorpus -pcorpus > last.log 2>&1
	echo "== decodecorpus: status $?"
	for file in corpus/*.zst; do
		../programs/zstd -q -d -f "$file" -o corpus/back && cksum < corpus/back
	done
	if [ -n "$emulated" ]; then
		cd ..
		return
	fi
	EXE_PREFIX='' ZSTD_BIN=../programs/zstd DATAGEN_BIN=./datagen ./playTests.sh > last.log 2>&1
	echo "== playTests.sh: status $?"
	grep '^===>' last.log
	cd ..
}

# For gcc_suites_long.sh. Compresses one file, with one thread.
suite_counted()
{
	cd programs
	cat ../lib/*/*.c | head -c 1500000 > input
	calls_agree zstd input zstd --single-thread -12
}
