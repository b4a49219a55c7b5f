! Atlas with both feet welded to the ground: solves once and prints every joint acceleration, as the 64 bits of each number,
! so that programs in other languages can be compared to the last one: atlas models/atlas.urdf
program atlas
  use, intrinsic :: iso_fortran_env, only: int64
  use tenon
  implicit none
  type(model_t) :: robot
  type(constraints_t) :: feet
  type(workspace_t) :: work
  character(len=500) :: path
  character(len=16) :: digits
  real(dp), allocatable :: q(:), v(:), tau(:), qdd(:), lambda(:)
  integer :: i, k

  call get_command_argument(1, path)
  call robot%load(path, floating=.true.)
  call feet%create(robot)
  call feet%add_weld(robot%find_link('l_foot'))
  call feet%add_weld(robot%find_link('r_foot'))
  call work%create(robot, feet)

  allocate (q(work%nq), v(work%nv), tau(work%nv), qdd(work%nv), lambda(work%m))
  call work%random(1, q)
  v = 0
  tau = 0
  do i = 6, work%nv - 1
    v(i + 1) = 0.01_dp*i
    tau(i + 1) = 10.0_dp - 0.5_dp*i
  end do
  call work%constrained_dynamics(q, v, tau, qdd, lambda)

  write (*, '(a)') text(tenon_status_string(int(work%status)))
  do i = 1, work%nv
    write (digits, '(z16.16)') transfer(qdd(i), 0_int64)
    do k = 1, 16 ! in lower case
      if (digits(k:k) >= 'A') digits(k:k) = achar(iachar(digits(k:k)) + 32)
    end do
    write (*, '(a, i0, a, a)') 'qdd[', i - 1, '] = ', digits
  end do
end program atlas
