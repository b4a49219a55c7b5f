! Loads a robot and prints what it is: load_and_print models/iiwa14.urdf
program load_and_print
  use tenon
  implicit none
  type(model_t) :: robot
  type(workspace_t) :: work
  type(joint_t) :: joint
  character(len=500) :: path
  real(dp), allocatable :: q(:), g(:)
  real(dp) :: pose(7)
  integer :: i

  call get_command_argument(1, path)
  call robot%load(path)
  write (*, '(a, a, i0, a, i0, a, i0, a, a, a)') robot%name, ': ', robot%joint_count, ' joints, nq ', robot%nq, ', nv ', &
    robot%nv, ', ', rounded(robot%total_mass, 1), ' kg'
  write (*, '(a)', advance='no') robot%describe()
  do i = 1, robot%joint_count
    joint = robot%joint(i)
    write (*, '(a, a, a, a, a, a, a)') joint%name, ': ', joint%type, ', from ', rounded(joint%lower, 2), ' to ', &
      rounded(joint%upper, 2)
  end do

  call work%create(robot)
  allocate (q(work%nq), g(work%nv))
  call work%random(1, q)
  call work%kinematics(q)
  call work%link_pose(robot%link_count, pose)
  write (*, '(a, 3(1x, a))') 'the last link is at', (rounded(pose(i), 3), i=1, 3)
  call work%gravity_force(q, g)
  write (*, '(a, *(1x, a))') 'held against gravity by', (rounded(g(i), 2), i=1, work%nv)

contains

  ! A number with so many digits behind the point, and one before it at least.
  function rounded(x, digits) result(text)
    real(dp), intent(in) :: x
    integer, intent(in) :: digits
    character(len=:), allocatable :: text
    character(len=40) :: form, wide
    write (form, '(a, i0, a)') '(f40.', digits, ')'
    write (wide, form) x
    text = trim(adjustl(wide))
  end function rounded

end program load_and_print
