! SPDX-License-Identifier: MIT
! heat.f90 - an MPI program: heat spreads along a rod whose parts belong to the ranks. Each step exchanges the borders
! with the neighbours and sums the change over all ranks. Prints the number of steps and the sum.
program heat
  use mpi
  implicit none
  integer, parameter :: cells = 40, steps = 50
  integer :: rank, ranks, error, left, right, n
  double precision :: rod(0:cells + 1), change

  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  left = merge(rank - 1, mpi_proc_null, rank > 0)
  right = merge(rank + 1, mpi_proc_null, rank < ranks - 1)
  rod = 0
  if (rank == 0) rod(0) = 100
  do n = 1, steps
    call exchange()
    change = total(step())
  end do
  if (rank == 0) print '(i0, 1x, f0.6)', steps, change
  call mpi_finalize(error)
contains
  subroutine exchange()
    call send(rod(cells), right, rod(0), left)
    call send(rod(1), left, rod(cells + 1), right)
  end subroutine

  subroutine send(value, to, received, from)
    double precision, intent(in) :: value
    double precision, intent(inout) :: received
    integer, intent(in) :: to, from
    call mpi_sendrecv(value, 1, mpi_double_precision, to, 0, received, 1, mpi_double_precision, from, 0, &
      mpi_comm_world, mpi_status_ignore, error)
  end subroutine

  double precision function step()
    double precision :: next(cells)
    integer :: i
    do i = 1, cells
      next(i) = spread_heat(rod(i - 1), rod(i), rod(i + 1))
    end do
    step = sum(abs(next - rod(1:cells)))
    rod(1:cells) = next
  end function

  double precision function spread_heat(a, b, c)
    double precision, intent(in) :: a, b, c
    spread_heat = b + 0.25d0 * (a - 2 * b + c)
  end function

  double precision function total(mine)
    double precision, intent(in) :: mine
    call mpi_allreduce(mine, total, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
  end function
end program
