! What the types of Fortran hand to the library and back, against identities that the calls under test do not compute
! themselves: layer models.
program layer
  use tenon
  implicit none
  character(len=400) :: folder
  integer :: checks = 0, failures = 0

  call get_command_argument(1, folder)
  call models()
  call dynamics()
  call constraints()
  call batches()
  call anchors()
  call limits()
  call freed()
  write (*, '(i0, a, i0, a)') checks, ' checks, ', failures, ' failed'
  if (failures > 0) error stop 1

contains

  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    checks = checks + 1
    if (good) return
    failures = failures + 1
    write (*, '(a, a)') 'failed: ', trim(what)
  end subroutine check

  subroutine close_to(a, b, tolerance, what)
    real(dp), intent(in) :: a(:), b(:), tolerance
    character(len=*), intent(in) :: what
    logical :: good
    good = size(a) == size(b)
    if (good) good = all(abs(a - b) <= tolerance*(1 + abs(b)))
    call check(good, what)
  end subroutine close_to

  ! The call failed with this status, and the words are in its message.
  subroutine fails(stat, errmsg, wanted, words)
    integer, intent(in) :: stat
    character(len=*), intent(inout) :: errmsg
    integer(c_int32_t), intent(in) :: wanted
    character(len=*), intent(in) :: words
    call check(stat == wanted .and. index(errmsg, words) > 0, 'wanted '//words//', not '//trim(errmsg))
    errmsg = ''
  end subroutine fails

  function path(name) result(whole)
    character(len=*), intent(in) :: name
    character(len=:), allocatable :: whole
    whole = trim(folder)//'/'//name//'.urdf'
  end function path

  function contents(name) result(all)
    character(len=*), intent(in) :: name
    character(len=:), allocatable :: all
    integer :: unit, bytes
    open (newunit=unit, file=path(name), access='stream', form='unformatted', status='old', action='read')
    inquire (unit=unit, size=bytes)
    allocate (character(len=bytes) :: all)
    read (unit) all
    close (unit)
  end function contents

  function counted(n, first, step) result(x)
    integer, intent(in) :: n
    real(dp), intent(in) :: first, step
    real(dp) :: x(n)
    integer :: i
    x = [(first + step*i, i=0, n - 1)]
  end function counted

  subroutine models()
    type(model_t) :: robot, floating
    type(workspace_t) :: work
    type(joint_t) :: joint
    type(link_t) :: link
    character(len=500) :: errmsg
    character(len=:), allocatable :: bad
    integer :: stat, i, at
    real(dp) :: mass
    call robot%load(path('iiwa14'))
    call check(robot%name == 'iiwa14' .and. robot%nq == 7 .and. robot%nv == 7 .and. .not. robot%floating_base, 'iiwa14')
    call check(robot%link_name(robot%find_link('iiwa_link_7')) == 'iiwa_link_7', 'links')
    call check(robot%find_joint('iiwa_joint_3') == 3 .and. robot%joint_name(3) == 'iiwa_joint_3', 'joints')
    joint = robot%joint(3)
    call check(joint%name == 'iiwa_joint_3' .and. joint%type == 'revolute' .and. joint%q_index == 3 .and. &
               joint%v_index == 3, 'joint')
    call check(robot%link_name(joint%child_link) == 'iiwa_link_3', 'child')
    link = robot%link(1)
    call check(link%parent_link == 0, 'root')
    mass = 0
    do i = 1, robot%link_count
      link = robot%link(i)
      mass = mass + link%mass
    end do
    call close_to([mass], [robot%total_mass], 1e-10_dp, 'masses')
    call check(index(robot%describe(), 'iiwa_joint_7') > 0 .and. robot%warning_count() == 0, 'describe')
    i = robot%find_link('iiwa_link_8', stat, errmsg)
    call fails(stat, errmsg, TENON_NOT_FOUND, 'did you mean')
    call check(i == 0, 'no number')
    joint = robot%joint(99, stat, errmsg)
    call fails(stat, errmsg, TENON_OUT_OF_RANGE, 'no joint')
    link = robot%link(0, stat, errmsg)
    call fails(stat, errmsg, TENON_OUT_OF_RANGE, 'no link')
    call floating%load('none.urdf', stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_FILE_ERROR, 'none.urdf')
    i = floating%find_link('base', stat, errmsg)
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'this model was not made')
    call floating%parse('<robot', stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_PARSE_ERROR, 'parse_error: ')
    bad = contents('iiwa14')
    at = index(bad, '<child link="iiwa_link_4"')
    bad = bad(:at - 1)//'<child link="gone_link_4"'//bad(at + 25:)
    call floating%parse(bad, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_INVALID_MODEL, 'gone_link_4')
    call floating%parse(contents('iiwa14'), floating=.true., gravity=[0.0_dp, 0.0_dp, -1.0_dp], floating_joint_name='free')
    call check(floating%joint_name(1) == 'free' .and. floating%nv == 13, 'options')
    call work%create(floating)
    call fall(work)
  end subroutine models

  ! A robot at rest in the gravity that it was made with falls by it.
  subroutine fall(work)
    type(workspace_t), intent(inout) :: work
    real(dp) :: q(work%nq), zero(work%nv), qdd(work%nv)
    zero = 0
    call work%neutral(q)
    call work%forward_dynamics(q, zero, zero, qdd)
    call close_to(qdd, [0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, -1.0_dp, zero(7:)], 1e-10_dp, 'falls')
    call work%set_gravity([0.0_dp, 0.0_dp, -2.0_dp])
    call work%forward_dynamics(q, zero, zero, qdd)
    call close_to(qdd(6:6), [-2.0_dp], 1e-10_dp, 'falls faster')
  end subroutine fall

  subroutine dynamics()
    type(model_t) :: robot
    type(workspace_t) :: work
    real(dp), allocatable :: q(:), v(:), tau(:), qdd(:), c(:), back(:), M(:, :), J(:, :), wrenches(:), next(:), kept(:)
    real(dp) :: velocity(6), kinetic, potential, zero
    character(len=500) :: errmsg
    integer :: hand, stat
    call robot%load(path('atlas'), floating=.true.)
    call work%create(robot)
    allocate (q(work%nq), qdd(work%nv), c(work%nv), back(work%nv), M(work%nv, work%nv), J(6, work%nv), next(work%nq))
    v = counted(work%nv, -0.2_dp, 0.01_dp)
    tau = counted(work%nv, 5.0_dp, -0.3_dp)
    call work%random(3, q)
    call work%forward_dynamics(q, v, tau, qdd)
    call work%mass_matrix(q, M)
    call work%bias(q, v, c)
    call close_to(matmul(M, qdd) + c, tau, 1e-8_dp, 'M qdd + c = tau')
    call work%inverse_dynamics(q, v, qdd, back)
    call close_to(back, tau, 1e-8_dp, 'inverse dynamics')
    hand = robot%find_link('l_hand')
    allocate (wrenches(6*robot%link_count))
    wrenches = 0
    wrenches(6*(hand - 1) + 4) = -10
    call work%kinematics(q, v)
    call work%jacobian(hand, TENON_AXES_LINK, J)
    call work%link_velocity(hand, TENON_AXES_LINK, velocity)
    call close_to(matmul(J, v), velocity, 1e-10_dp, 'J v')
    call work%inverse_dynamics(q, v, qdd, back, wrenches)
    call close_to(back, tau + 10*J(4, :), 1e-8_dp, 'wrenches')
    call work%integrate(q, v, 0.01_dp, next)
    call work%difference(q, next, back)
    call close_to(back, 0.01_dp*v, 1e-10_dp, 'difference')
    call work%energy(kinetic, potential)
    call close_to([kinetic], [dot_product(v, matmul(M, v))/2], 1e-9_dp, 'kinetic energy')

    ! What does not fit is refused before the call: the last status and the result stay.
    kept = qdd
    call work%forward_dynamics(q(:3), v, tau, qdd, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'q: 3 numbers; 37 are needed')
    call work%forward_dynamics(q, v, tau(:35), qdd, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'tau: 35 numbers; 36 are needed')
    call work%forward_dynamics(q, v, tau, qdd, wrenches(:5), stat, errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'wrenches: 5 numbers')
    call work%forward_dynamics(q, v, tau, qdd(:30), stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'qdd: 30 numbers; 36 are needed')
    call work%mass_matrix(q, J, stat, errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'M: 6 x 36; 36 x 36 are needed')
    call work%set_gravity(q(:4), stat, errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'gravity: 4 numbers; 3')
    call check(work%status == TENON_OK .and. all(qdd == kept), 'nothing was called')
    zero = 0
    q(6) = zero/zero
    call work%forward_dynamics(q, v, tau, qdd, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_NOT_FINITE, 'not_finite: ')
    call check(work%status == TENON_NOT_FINITE .and. all(qdd == kept), 'status')
    call work%link_pose(1000, velocity, stat, errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'pose: 6 numbers; 7')
    call work%link_velocity(1000, TENON_AXES_LINK, velocity, stat, errmsg)
    call fails(stat, errmsg, TENON_OUT_OF_RANGE, 'link')
    call work%step(next, v, tau, 0.001_dp, 7_c_int32_t, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'integrator')
  end subroutine dynamics

  subroutine constraints()
    type(model_t) :: robot
    type(constraints_t) :: set
    type(workspace_t) :: work, free
    type(tenon_solve_options) :: dense
    type(tenon_solve_report) :: known
    real(dp), allocatable :: q(:), v(:), tau(:), qdd(:), lambda(:), c(:), back(:), M(:, :), J(:, :), rhs(:), A(:, :), next(:)
    real(dp), allocatable :: desired(:), wrenches(:), push(:, :), pushed(:)
    real(dp) :: K(2, 6)
    character(len=500) :: errmsg
    integer :: foot, hand, other, number, stat
    call robot%load(path('atlas'), floating=.true.)
    foot = robot%find_link('l_foot')
    hand = robot%find_link('l_hand')
    other = robot%find_link('r_hand')
    call set%create(robot)
    call set%add_weld(foot)
    call set%add_point(hand, [0.1_dp, 0.0_dp, 0.0_dp], constraint_options_t(name='hand', weights=[1.0_dp, 1.0_dp, 2.0_dp]), &
                       number)
    call check(number == 2, 'number')
    K = 0
    K(1, 4) = 1
    K(2, 2) = 1
    call set%add_rows(robot%find_link('r_foot'), K)
    call set%add_rows(foot, transpose(K), stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'K: 6 x 2; 6 x 6 are needed')
    call set%add_point(hand, [0.1_dp], stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'point: 1 numbers; 3 are needed')
    call set%add_weld(hand, options=constraint_options_t(weights=[1.0_dp]), stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'weights')
    call set%add_weld(0, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_OUT_OF_RANGE, 'link')
    call work%create(robot, set)
    call free%create(robot)
    call check(set%count() == 3 .and. set%row_count() == 11 .and. work%m == 11, 'rows')
    call set%add_weld(foot, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'finish')
    call set%finish() ! does nothing

    allocate (q(work%nq), qdd(work%nv), lambda(11), c(work%nv), back(work%nv), M(work%nv, work%nv), J(11, work%nv), rhs(11))
    v = counted(work%nv, 0.1_dp, -0.01_dp)
    tau = counted(work%nv, -3.0_dp, 0.2_dp)
    call work%random(5, q)
    call work%constrained_dynamics(q, v, tau, qdd, lambda, stat=stat)
    known = work%report()
    call check(stat == TENON_OK .and. known%primal_residual < 1e-6_dp, 'report')
    call work%constraint_rows(q, v, J, rhs)
    call close_to(matmul(J, qdd), rhs, 1e-7_dp, 'J qdd = rhs')
    call work%mass_matrix(q, M)
    call work%bias(q, v, c)
    call close_to(matmul(M, qdd) + c, tau + matmul(lambda, J), 1e-7_dp, 'equation of motion')
    call work%constrained_inverse_dynamics(q, v, qdd, lambda, back)
    call close_to(back, tau, 1e-7_dp, 'inverse')
    desired = counted(11, -0.5_dp, 0.1_dp)
    call work%constrained_dynamics(q, v, tau, back, lambda, desired=desired)
    call close_to(matmul(J, back), rhs + desired, 1e-7_dp, 'desired')
    allocate (wrenches(6*robot%link_count), push(6, work%nv), pushed(work%nv))
    wrenches = 0
    wrenches(6*(other - 1) + 4) = 50
    call work%kinematics(q, v)
    call work%jacobian(other, TENON_AXES_LINK, push)
    call work%constrained_dynamics(q, v, tau, back, lambda, wrenches=wrenches)
    call work%constrained_dynamics(q, v, tau + 50*push(4, :), pushed, lambda)
    call close_to(back, pushed, 1e-7_dp, 'wrenches')
    dense = solve_options()
    dense%method = TENON_METHOD_DENSE
    call work%constrained_dynamics(q, v, tau, back, lambda, options=dense)
    known = work%report()
    call close_to(back, qdd, 1e-6_dp, 'dense')
    call check(known%method == TENON_METHOD_DENSE, 'method')
    call free%bias(q, 0*v, c) ! a column of the Delassus matrix by forward dynamics from rest
    call free%forward_dynamics(q, 0*v, c + J(5, :), back)
    allocate (A(11, 11))
    call work%delassus(q, A, TENON_DELASSUS_METHOD_PV_OSIMR)
    call close_to(A(:, 5), matmul(J, back), 1e-7_dp, 'Delassus matrix')
    next = q
    back = v
    call work%step(next, back, tau, 0.001_dp)
    call work%difference(q, next, c)
    call close_to(c, 0.001_dp*back, 1e-9_dp, 'step')
    call work%set_active(2, .false.)
    call work%constrained_dynamics(q, v, tau, back, lambda)
    call check(maxval(abs(back - qdd)) > 1e-3_dp, 'active')
  end subroutine constraints

  subroutine batches()
    integer, parameter :: states = 9
    type(model_t) :: robot
    type(constraints_t) :: set
    type(batch_t) :: batch, none
    type(workspace_t) :: work
    type(tenon_rollout_options) :: steps
    real(dp), allocatable :: q(:, :), v(:, :), tau(:, :), qdd(:, :), back(:, :), lambda(:, :), single(:), force(:)
    real(dp), allocatable :: q3(:), v3(:), q_out(:, :, :), v_out(:, :, :)
    real(dp) :: nothing(0, states), zero
    character(len=500) :: errmsg
    integer :: i, stat
    call robot%load(path('atlas'), floating=.true.)
    call set%create(robot)
    call set%add_weld(robot%find_link('l_foot'))
    call batch%create(robot, set)
    call work%create(robot, set)
    allocate (q(batch%nq, states), v(batch%nv, 1), tau(batch%nv, states), qdd(batch%nv, states), back(batch%nv, states))
    allocate (lambda(6, states), single(batch%nv), force(6))
    do i = 1, states
      call work%random(i, q(:, i))
    end do
    v = 0.1_dp
    tau = 1
    tau(9, 4) = 20
    call batch%forward_dynamics(q, v, tau, qdd)
    call batch%inverse_dynamics(q, v, qdd, back)
    call close_to(reshape(back, [size(back)]), reshape(tau, [size(tau)]), 1e-7_dp, 'inverse dynamics of a batch')
    call batch%constrained_dynamics(q, v, tau, qdd, lambda)
    do i = 1, states
      call work%constrained_dynamics(q(:, i), v(:, 1), tau(:, i), single, force)
      call close_to(qdd(:, i), single, 1e-7_dp, 'a state')
      call close_to(lambda(:, i), force, 1e-7_dp, 'forces of a state')
    end do
    steps = rollout_options()
    steps%dt = 0.002_dp
    steps%steps = 4
    steps%every = 2
    allocate (q_out(batch%nq, 2, states), v_out(batch%nv, 2, states))
    call batch%rollout(q, v, tau, steps, q_out, v_out, solve_options())
    q3 = q(:, 4)
    v3 = v(:, 1)
    do i = 1, 4
      call work%step(q3, v3, tau(:, 4), 0.002_dp)
    end do
    call close_to(q_out(:, 2, 4), q3, 1e-7_dp, 'positions of a rollout')
    call close_to(v_out(:, 2, 4), v3, 1e-7_dp, 'velocities of a rollout')
    call batch%rollout(q, v, tau, steps, q_out(:, :, :8), v_out, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'q_out: 37 x 8; 37 x 9 are needed')
    zero = 0
    q(1, 5) = zero/zero
    call batch%forward_dynamics(q, v, tau, back, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_NOT_FINITE, '4')
    call check(batch%status(5) == TENON_NOT_FINITE .and. batch%status(6) == TENON_OK, 'status')
    call batch%forward_dynamics(q, v(:35, :), tau, back, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'v: 35 x 1; 36 x 1 are needed')
    call batch%forward_dynamics(q, v, tau(:, :7), back, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'tau: 36 x 7; 36 x 9 are needed')
    call batch%forward_dynamics(q, v, tau, back(:, :1), stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'qdd: 36 x 1; 36 x 9 are needed')
    call none%create(robot)
    q(1, 5) = 0
    call none%constrained_dynamics(q, v, tau, back, nothing)
    call batch%destroy()
    call batch%forward_dynamics(q, v, tau, back, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'this batch was not made, or was destroyed')
  end subroutine batches

  ! Each state of a batch holds its own rows.
  subroutine anchors()
    type(model_t) :: robot
    type(constraints_t) :: set
    type(batch_t) :: batch
    type(workspace_t) :: work
    type(constraint_options_t) :: how
    real(dp), allocatable :: q(:, :), v(:, :), tau(:, :), here(:, :), lifted(:, :), qdd(:, :), lambda(:, :), single(:)
    real(dp) :: poses(7, 2, 3), found(7, 2, 3), force(9), place(7)
    logical :: active(2, 3)
    character(len=500) :: errmsg
    integer :: i, stat, foot, hand
    call robot%load(path('atlas'), floating=.true.)
    call set%create(robot)
    foot = robot%find_link('l_foot')
    hand = robot%find_link('l_hand')
    how%frequency = 10
    call set%add_weld(foot, options=how)
    how%frequency = 5
    how%damping_ratio = 0.5_dp
    call set%add_point(hand, options=how)
    call batch%create(robot, set)
    call work%create(robot, set)
    allocate (q(batch%nq, 3), v(batch%nv, 1), tau(batch%nv, 1), here(batch%nv, 3), lifted(batch%nv, 3), qdd(batch%nv, 3))
    allocate (lambda(9, 3), single(batch%nv))
    do i = 1, 3
      call work%random(i, q(:, i))
    end do
    v = 0.1_dp
    tau = 1
    call batch%constrained_dynamics(q, v, tau, here, lambda, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'no anchors')
    call batch%anchor_here(q)
    call check(size(batch%status) >= 3 .and. all(batch%status == TENON_OK), 'status of anchors')
    call batch%constrained_dynamics(q, v, tau, here, lambda)
    call batch%anchors(poses)
    do i = 1, 3
      call work%anchor_here(q(:, i))
      call work%constrained_dynamics(q(:, i), v(:, 1), tau(:, 1), single, force)
      call close_to(here(:, i), single, 1e-7_dp, 'anchors of a state')
      call work%kinematics(q(:, i))
      call work%link_pose(hand, place)
      call close_to(poses(:3, 2, i), place(:3), 1e-9_dp, 'the hand of a state')
    end do
    call batch%set_anchors(poses)
    call batch%constrained_dynamics(q, v, tau, here, lambda)
    poses(3, 2, 2) = poses(3, 2, 2) + 0.1_dp
    call batch%set_anchors(poses)
    call batch%anchors(found)
    call close_to(reshape(found, [42]), reshape(poses, [42]), 1e-9_dp, 'anchors')
    call batch%constrained_dynamics(q, v, tau, lifted, lambda)
    call check(all(changed(lifted, here) .eqv. [.false., .true., .false.]), 'the anchor of one state')
    active = .true.
    active(1, 3) = .false.
    call batch%set_active(active)
    call batch%constrained_dynamics(q, v, tau, qdd, lambda)
    call check(all(changed(qdd, lifted) .eqv. [.false., .false., .true.]), 'the activity of one state')
    call check(all(lambda(:6, 3) == 0) .and. lambda(7, 3) /= 0 .and. lambda(6, 2) /= 0, 'forces of what is let go')
    call batch%set_active(reshape([.true., .true.], [2, 1]))
    call batch%set_gains(reshape([10.0_dp, 5.0_dp], [2, 1]), reshape([1.0_dp, 0.5_dp], [2, 1])) ! as they were
    call batch%constrained_dynamics(q, v, tau, qdd, lambda)
    call check(.not. any(changed(qdd, lifted)), 'the same gains')
    call batch%set_gains(reshape([10.0_dp, 5.0_dp, 10.0_dp, 5.0_dp, 10.0_dp, 9.0_dp], [2, 3]), &
                         reshape([1.0_dp, 0.5_dp], [2, 1]))
    call batch%constrained_dynamics(q, v, tau, qdd, lambda)
    call check(all(changed(qdd, lifted) .eqv. [.false., .false., .true.]), 'gains of one state')
    call batch%set_gains(reshape([10.0_dp, 5.0_dp], [2, 1]), reshape([1.0_dp, 1.0_dp], [2, 1]))
    call batch%constrained_dynamics(q, v, tau, here, lambda)
    call check(all(changed(here, lifted)), 'damping of all states')
    call batch%set_gains(reshape([10.0_dp, 5.0_dp], [2, 1]))
    call batch%constrained_dynamics(q, v, tau, qdd, lambda)
    call check(.not. any(changed(qdd, here)), 'damping of 1')
    call batch%constrained_dynamics(q(:, :1), v, tau, qdd(:, :1), lambda(:, :1), stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'those of 3 states')
    call batch%set_anchor(2, [1.0_dp, 2.0_dp, 3.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, 1.0_dp])
    call batch%anchors(found)
    call check(all(found(1, 2, :) == 1) .and. all(found(3, 2, :) == 3), 'an anchor of all states')
    call close_to(found(:3, 1, 3), poses(:3, 1, 3), 1e-9_dp, 'the other anchor')
    call batch%set_anchor(3, found(:, 1, 1), stat, errmsg)
    call fails(stat, errmsg, TENON_OUT_OF_RANGE, 'constraint')
    call batch%set_anchor(2, found(:6, 1, 1), stat, errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'pose: 6 numbers; 7 are needed')
    call batch%set_anchors(poses(:, :1, :), stat, errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'poses of a state: 7 x 1; 7 x 2 are needed')
    call batch%anchors(found(:6, :, :), stat, errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'poses of a state: 6 x 2; 7 x 2 are needed')
    call batch%set_active(active(:1, :), stat, errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'active: 1 x 3; 2 x 3 are needed')
    call batch%set_gains(lambda(:2, :), lambda(:2, :2), stat, errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, 'damping_ratios: 2 x 2; 2 x 3 are needed')
    call batch%anchors(found(:, :, :2), stat, errmsg)
    call fails(stat, errmsg, TENON_WRONG_SIZE, '3 states')
    call batch%set_anchors(poses(:, :, :0))
    call batch%anchor_here(q(:, :0))
    call batch%destroy()
    call batch%anchors(found, stat, errmsg)
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'this batch was not made, or was destroyed')
  end subroutine anchors

  ! In which columns a and b differ.
  function changed(a, b) result(is)
    real(dp), intent(in) :: a(:, :), b(:, :)
    logical :: is(size(a, 2))
    is = any(a /= b, dim=1)
  end function changed

  ! Steps that are more than the arrays have, and robots without joints.
  subroutine limits()
    type(model_t) :: robot
    type(batch_t) :: batch
    type(tenon_rollout_options) :: steps
    character(len=500) :: errmsg
    character(len=*), parameter :: stone = "<robot name='stone'><link name='a'/></robot>"
    real(dp), allocatable :: q(:, :), records(:, :, :), none(:, :), empty(:, :, :), wrenches(:, :)
    integer(c_size_t) :: wrong(4)
    integer :: stat, i, states
    call robot%load(path('iiwa14'))
    call batch%create(robot)
    allocate (q(7, 1), records(7, 3, 1))
    q = 0
    steps = rollout_options()
    wrong = [2_c_size_t**32 + 3, -2_c_size_t**32 + 3, -1_c_size_t, 4_c_size_t] ! the first two are 3, modulo 2^32
    do i = 1, size(wrong)
      steps%steps = wrong(i)
      call batch%rollout(q, q, q, steps, records, records, stat=stat, errmsg=errmsg)
      call check(stat == TENON_WRONG_SIZE .or. stat == TENON_INVALID_ARGUMENT, trim(errmsg))
    end do
    steps%every = 2
    steps%steps = -1 ! divided by 2 it is 0
    call batch%rollout(q, q, q, steps, records(:, :0, :), records(:, :0, :), stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'steps and every')
    steps%steps = 6
    call batch%forward_dynamics(q(:, :0), q(:, :0), q, q(:, :0), stat=stat, errmsg=errmsg)
    call check(stat == TENON_OK, trim(errmsg))
    call batch%rollout(q(:, :0), q(:, :0), q, steps, records(:, :, :0), records(:, :, :0), stat=stat, errmsg=errmsg)
    call check(stat == TENON_OK, trim(errmsg))
    call robot%parse(stone)
    call batch%create(robot)
    steps%steps = 6
    do states = 1, 3, 2
      if (allocated(none)) deallocate (none, empty, wrenches)
      allocate (none(0, states), empty(0, 3, states), wrenches(6, states))
      wrenches = 0
      call batch%forward_dynamics(none, none, none, none, stat=stat, errmsg=errmsg)
      call check(stat == TENON_OK .and. size(batch%status) >= states, trim(errmsg))
      call batch%inverse_dynamics(none, none, none, none, wrenches, stat, errmsg)
      call check(stat == TENON_OK, trim(errmsg))
      call batch%rollout(none, none, none, steps, empty, empty, stat=stat, errmsg=errmsg)
      call check(stat == TENON_OK, trim(errmsg))
    end do
  end subroutine limits

  function memory() result(bytes)
    integer :: unit
    integer(c_int64_t) :: all, resident, bytes
    open (newunit=unit, file='/proc/self/statm', status='old', action='read')
    read (unit, *) all, resident
    close (unit)
    bytes = 4096*resident
  end function memory

  ! What it makes goes when it returns.
  subroutine forgotten()
    type(model_t) :: robot
    type(constraints_t) :: set
    type(workspace_t) :: work
    type(batch_t), allocatable :: batch
    allocate (batch)
    call robot%load(path('iiwa14'))
    call set%create(robot)
    call work%create(robot, set)
    call batch%create(robot, set)
    call work%create(robot) ! the one before goes
  end subroutine forgotten

  subroutine freed()
    type(model_t) :: robot, copy
    type(constraints_t) :: set
    type(workspace_t) :: work, second
    character(len=500) :: errmsg
    integer :: stat, i
    integer(c_int64_t) :: before
    real(dp) :: q(7)
    call robot%load(path('iiwa14'))
    call set%create(robot)
    call work%create(robot, set)
    copy = robot
    call copy%destroy()
    call copy%destroy() ! does nothing
    i = robot%find_link('iiwa_link_7', stat, errmsg) ! it was the same robot
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'this model was not made, or was destroyed')
    call second%create(robot, stat=stat, errmsg=errmsg)
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'this model')
    call second%neutral(q, stat, errmsg)
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'this workspace was not made')
    call check(robot%describe() == '' .and. robot%link_name(1) == '', 'nothing to tell')
    call work%neutral(q, stat) ! what was made from it stays good
    call check(stat == TENON_OK, 'workspace')
    call set%destroy()
    call set%finish(stat, errmsg)
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'this constraints')
    call work%destroy()
    call second%create(robot_again(robot), stat=stat, errmsg=errmsg) ! may take the place of the one that was destroyed
    call check(stat == TENON_OK, trim(errmsg))
    call work%neutral(q, stat, errmsg)
    call fails(stat, errmsg, TENON_INVALID_ARGUMENT, 'this workspace')
    do i = 1, 100
      call forgotten()
    end do
    before = memory()
    do i = 1, 1000
      call forgotten()
    end do
    call check(memory() - before < 20*2**20, '1000 forgotten robots keep memory')
  end subroutine freed

  function robot_again(robot) result(same)
    type(model_t), intent(inout) :: robot
    type(model_t) :: same
    call robot%load(path('iiwa14'))
    same = robot
  end function robot_again

end program layer
