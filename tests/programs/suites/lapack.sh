# SPDX-License-Identifier: MIT
# lapack.sh - for gcc_suites_long.sh: Fortran, static libraries, make. The part in double precision.
suite_package=lapack

# One makefile has the compilers. BLAS, LAPACK, the generator of matrices, and the tests of all of them.
suite_build()
{
	cp -R "$source_directory/." . &&
		printf '%s\n' 'SHELL = /bin/sh' "CC = $cc" "CFLAGS = $flags" "FC = $fc" "FFLAGS = $flags -frecursive" \
			'FFLAGS_DRV = $(FFLAGS)' 'FFLAGS_NOOPT = -O0 -frecursive' "LDFLAGS = $ldflags" "AR = $ar" 'ARFLAGS = cr' \
			"RANLIB = $ranlib" 'TIMER = INT_ETIME' 'BLASLIB = $(TOPSRCDIR)/librefblas.a' \
			'LAPACKLIB = $(TOPSRCDIR)/liblapack.a' 'TMGLIB = $(TOPSRCDIR)/libtmglib.a' > make.inc &&
		make -s -C INSTALL dlamch.o ilaver.o lsame.o second_INT_ETIME.o dsecnd_INT_ETIME.o &&
		for part in BLAS/SRC SRC TESTING/MATGEN; do
			make -s -j"$jobs" -C $part double || return
		done &&
		make -s -j"$jobs" -C BLAS/TESTING xblat1d xblat2d xblat3d &&
		make -s -j"$jobs" -C TESTING/LIN xlintstd &&
		make -s -j"$jobs" -C TESTING/EIG xeigtstd
}

# LAPACK has no configure. The members of the libraries are the compiled files.
suite_configured()
{
	for library in lib*.a; do
		"$ar" t $library
	done
}

# Prints all results but times and the date.
suite_run()
{
	(
		cd BLAS/TESTING
		for program in xblat1d 'xblat2d dblat2.in' 'xblat3d dblat3.in'; do
			set -- $program
			./$1 < "${2-/dev/null}" 2>&1 || echo "== $program: status $?"
		done
		cat dblat?.out
	)
	(
		cd TESTING
		LIN/xlintstd < dtest.in 2>&1 || echo "== dtest.in: status $?"
		for input in nep sep se2 svd dec ded dgg dgd dsb dsg dbal dbak dgbal dgbak dbb glm gqr gsv csd lse; do
			EIG/xeigtstd < $input.in 2>&1 || echo "== $input.in: status $?"
		done
	) | grep -v 'seconds'
}

# A part that callgrind runs in a minute. Programs are linked statically with the libraries.
suite_counted()
{
	cd TESTING
	cp EIG/xeigtstd .
	calls_agree xeigtstd csd.in xeigtstd
}
