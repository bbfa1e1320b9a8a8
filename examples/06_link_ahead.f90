! SPDX-License-Identifier: MIT
! An ordinary Fortran program that calls BLAS. Linked with the library ahead of its BLAS, its products are the library's and all else is
! the BLAS's as before:   gfortran 06_link_ahead.f90 -lapplebottom -lblas        AB_REPORT=1 says at exit what ran where.
program link_ahead
  implicit none
  integer, parameter :: n = 200, k = 300
  double precision, parameter :: u = 2d0**(-53)
  double precision, allocatable :: a(:, :), b(:, :), c(:, :), expected(:, :), weight(:, :)
  double precision :: worst
  double precision, external :: dnrm2
  integer :: i, j

  allocate (a(k, n), b(k, n), c(n, n))
  do j = 1, n
    do i = 1, k
      a(i, j) = sin(dble(i + 7 * j))
      b(i, j) = cos(dble(i * j))
    end do
  end do
  call dgemm('T', 'N', n, n, k, 1d0, a, k, b, k, 0d0, c, n)

  expected = matmul(transpose(a), b)
  weight = matmul(transpose(abs(a)), abs(b))
  worst = maxval(abs(c - expected) / (u * weight))
  print '(a, es10.3, a, f8.2, a, i0)', 'norm of C', dnrm2(n * n, c, 1), '; largest difference from matmul in units of u |A||B|: ', &
    worst, ', at most 2k = ', 2 * k
  if (.not. worst <= 2 * k) stop 1
end program
