! SPDX-License-Identifier: MIT
! The same in Fortran.
program products
  implicit none
  double precision :: a(2, 2) = reshape([1d0, 2d0, 3d0, 4d0], [2, 2]), b(2, 2) = reshape([5d0, 6d0, 7d0, 8d0], [2, 2]), c(2, 2)
  double precision, external :: ddot
  call dgemm('N', 'N', 2, 2, 2, 1d0, a, 2, b, 2, 0d0, c, 2)
  print *, c, ddot(2, a, 1, b, 1)
  if (c(1, 1) /= 23d0 .or. c(2, 2) /= 46d0 .or. ddot(2, a, 1, b, 1) /= 17d0) stop 1
end program
