! SPDX-License-Identifier: MIT
! matrices.f90 - modules, types with procedures, internal and recursive procedures, procedure arguments, alternative
! entries, common blocks, array results, and OpenMP. Prints what it computes.
module matrices
  implicit none
  type :: matrix
    integer :: n = 0
    double precision, allocatable :: a(:, :)
  contains
    procedure :: make
    procedure :: times
    final :: discard
  end type
  integer :: discarded = 0
contains
  subroutine make(self, n)
    class(matrix), intent(inout) :: self
    integer, intent(in) :: n
    integer :: i, j
    self%n = n
    if (allocated(self%a)) deallocate (self%a)
    allocate (self%a(n, n))
    do j = 1, n
      do i = 1, n
        self%a(i, j) = element(i, j)
      end do
    end do
  contains
    double precision function element(i, j)
      integer, intent(in) :: i, j
      element = modulo(i * 7 + j * 3, 11) + merge(n, 0, i == j)
    end function
  end subroutine

  function times(self, x) result(y)
    class(matrix), intent(in) :: self
    double precision, intent(in) :: x(:)
    double precision :: y(size(x))
    integer :: i
    do i = 1, self%n
      y(i) = inner(self%a(i, :), x)
    end do
  end function

  impure elemental subroutine discard(self)
    type(matrix), intent(inout) :: self
    if (self%n > 0) discarded = discarded + 1
  end subroutine

  double precision function inner(x, y)
    double precision, intent(in) :: x(:), y(:)
    inner = sum(x * y)
  end function

  recursive double precision function determinant(a, n) result(d)
    double precision, intent(in) :: a(:, :)
    integer, intent(in) :: n
    double precision :: minor(n - 1, n - 1)
    integer :: k
    if (n == 1) then
      d = a(1, 1)
      return
    end if
    d = 0
    do k = 1, n
      minor(:, :k - 1) = a(2:n, :k - 1)
      minor(:, k:) = a(2:n, k + 1:n)
      d = d + (-1)**(k + 1) * a(1, k) * determinant(minor, n - 1)
    end do
  end function

  recursive double precision function integral(f, a, b, depth) result(area)
    interface
      double precision function f(x)
        double precision, intent(in) :: x
      end function
    end interface
    double precision, intent(in) :: a, b
    integer, intent(in) :: depth
    if (depth == 0) then
      area = (b - a) * (f(a) + 4 * f((a + b) / 2) + f(b)) / 6
    else
      area = integral(f, a, (a + b) / 2, depth - 1) + integral(f, (a + b) / 2, b, depth - 1)
    end if
  end function
end module

! One procedure with two entries, in the style of FORTRAN 77.
      subroutine counter(k)
      integer k, total
      common /counts/ total
      total = k
      return
      entry count_more(k)
      total = total + k
      end subroutine

double precision function parabola(x)
  double precision, intent(in) :: x
  parabola = x * x
end function

program main
  use matrices
  implicit none
  double precision, external :: parabola
  double precision :: x(6), partial
  integer :: total, i
  common /counts/ total
  type(matrix) :: m

  call m%make(6)
  x = m%times([1d0, 2d0, 3d0, 4d0, 5d0, 6d0])
  print '(6f8.1)', x
  print '(f14.2)', determinant(m%a, 6)
  print '(f10.6)', integral(parabola, 0d0, 3d0, 6)
  call counter(3)
  do i = 1, 5
    call count_more(i)
  end do
  partial = 0
  !$omp parallel do num_threads(2) reduction(+: partial)
  do i = 1, 40
    partial = partial + inner(x, x) / i
  end do
  print '(i0, f14.3)', total, partial
  call locally()
  print '(i0)', discarded
contains
  subroutine locally()
    type(matrix) :: own
    call own%make(4)
    print '(f14.2)', determinant(own%a, 4)
  end subroutine
end program
