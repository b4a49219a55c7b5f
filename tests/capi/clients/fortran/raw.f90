! The raw layer of Fortran does and prints what c/raw.c does: raw atlas.urdf. print_layouts is generated.
program raw
  use tenon_raw
  implicit none
  character(kind=c_char), target :: message(512)
  character(len=500) :: robot
  type(tenon_model_options) :: options
  type(tenon_joint_info) :: info
  type(c_ptr) :: model, workspace
  integer(c_int32_t) :: joint, status
  integer(c_size_t) :: nq, nv, i
  real(c_double), allocatable :: q(:), v(:), tau(:), qdd(:)

  call get_command_argument(1, robot)
  call print_layouts()
  write (*, '(a, i0, 1x, a)') 'version ', tenon_version(), text(tenon_version_string())
  write (*, '(a)') text(tenon_build_info())

  call check(tenon_model_options_init(options, c_sizeof(options)))
  options%base = TENON_BASE_FLOATING
  call check(tenon_model_load_urdf(trim(robot)//c_null_char, options, model, message, 512_c_size_t))
  nq = tenon_model_nq(model)
  nv = tenon_model_nv(model)
  write (*, '(a, a, i0, a, i0, a)') text(tenon_model_name(model)), ': ', nq, ' positions, ', nv, ' velocities'

  call check(tenon_model_find_joint(model, 'l_leg_kny'//c_null_char, joint, message, 512_c_size_t))
  call check(tenon_joint_info_init(info, c_sizeof(info)))
  call check(tenon_model_joint_info(model, joint, info))
  write (*, '(a, 1x, i0, a, a, a, a)') text(info%name), joint, ': upper ', bits(info%upper), ', origin z ', bits(info%origin(3))
  status = tenon_model_find_link(model, 'nowhere'//c_null_char, joint, message, 512_c_size_t)
  write (*, '(a, a, a)') text(tenon_status_string(status)), ': ', text(c_loc(message))

  call check(tenon_workspace_create(model, c_null_ptr, workspace=workspace, message=message, message_size=512_c_size_t))
  allocate (q(nq), v(nv), tau(nv), qdd(nv))
  call check(tenon_random(workspace, 7_c_int64_t, q, nq))
  do i = 1, nv
    v(i) = 0.01_c_double*(i - 1)
    tau(i) = 10 - 0.5_c_double*(i - 1)
  end do
  status = tenon_forward_dynamics(workspace, q, nq, v, nv, tau, nv, wrenches_count=0_c_size_t, qdd=qdd, qdd_count=nv)
  if (status < 0) then
    write (*, '(a)') text(tenon_workspace_message(workspace))
    error stop
  end if
  do i = 1, nv
    write (*, '(a, i0, a, a)') 'qdd[', i - 1, '] = ', bits(qdd(i))
  end do
  call tenon_workspace_destroy(workspace)
  call tenon_model_destroy(model)

contains

  subroutine check(code)
    integer(c_int32_t), intent(in) :: code
    if (code < 0) then
      write (*, '(a, a, a)') text(tenon_status_string(code)), ': ', text(c_loc(message))
      error stop
    end if
  end subroutine check

  function bits(x) result(digits)
    real(c_double), intent(in) :: x
    character(len=16) :: digits
    integer :: place
    write (digits, '(z16.16)') transfer(x, 0_c_int64_t)
    do place = 1, 16
      if (digits(place:place) >= 'A') digits(place:place) = achar(iachar(digits(place:place)) + 32)
    end do
  end function bits

  function text(pointer) result(words)
    type(c_ptr), intent(in) :: pointer
    character(len=:), allocatable :: words
    character(kind=c_char), pointer :: letters(:)
    integer :: length
    call c_f_pointer(pointer, letters, [10000])
    length = 0
    do while (letters(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate (character(len=length) :: words)
    words = transfer(letters(1:length), words)
  end function text

end program raw
