! SPDX-License-Identifier: MIT
! shapes.f90 - procedures in a module, in another procedure, and outside. Each counts its
! calls. At its end the program prints them as "NAME,CALLS".
module shapes
  integer :: calls(4) = 0
contains
  ! Prevents the compiler from inlining a sum of whole numbers into a loop.
  recursive real function fibonacci(n) result(r)
    integer, value :: n
    calls(1) = calls(1) + 1
    if (n < 2) then
      r = n
    else
      r = fibonacci(n - 1) + fibonacci(n - 2)
    end if
  end function
  subroutine scale(a, factor)
    real, intent(inout) :: a(:)
    real, value :: factor
    calls(2) = calls(2) + 1
    call each(size(a))
  contains
    recursive subroutine each(i)
      integer, value :: i
      calls(3) = calls(3) + 1
      if (i > 0) then
        call each(i - 1)
        a(i) = a(i) * factor
      end if
    end subroutine
  end subroutine
end module

real function total(a, n)
  use shapes
  integer :: n
  real :: a(n)
  calls(4) = calls(4) + 1
  total = sum(a)
end function

program main
  use shapes
  real, external :: total
  real :: a(4) = [1., 2., 3., 4.]
  call scale(a, 2.0)
  if (fibonacci(6) /= 8. .or. total(a, 4) /= 20.) stop 1
  print '(a,i0)', 'shapes::fibonacci,', calls(1), 'shapes::scale,', calls(2), 'shapes::scale::each,', calls(3), &
    'total_,', calls(4)
end program
