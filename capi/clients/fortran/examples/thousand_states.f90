! A thousand states of Atlas on both feet in one call, then some of them 50 ms on: thousand_states models/atlas.urdf
program thousand_states
  use tenon
  implicit none
  integer, parameter :: states = 1000
  type(model_t) :: robot
  type(constraints_t) :: feet
  type(batch_t) :: batch
  type(workspace_t) :: work
  type(tenon_rollout_options) :: steps
  character(len=500) :: path
  real(dp), allocatable :: q(:, :), zero(:, :), qdd(:, :), lambda(:, :), single(:), force(:), q_out(:, :, :), v_out(:, :, :)
  integer :: seed

  call get_command_argument(1, path)
  call robot%load(path, floating=.true.)
  call feet%create(robot)
  call feet%add_weld(robot%find_link('l_foot'))
  call feet%add_weld(robot%find_link('r_foot'))
  call batch%create(robot, feet, threads=2)
  call work%create(robot, feet)

  allocate (q(batch%nq, states), qdd(batch%nv, states), lambda(batch%m, states), single(batch%nv), force(batch%m))
  do seed = 0, states - 1
    call work%random(seed, q(:, seed + 1))
  end do
  allocate (zero(batch%nv, 1)) ! velocities and torques, the same for all
  zero = 0
  call batch%constrained_dynamics(q, zero, zero, qdd, lambda)
  write (*, '(i0, a, a, a, i0, a, i0, a, i0, a)') states, ' states of ', robot%name, ': nq ', batch%nq, ', nv ', batch%nv, &
    ', ', batch%m, ' rows'
  write (*, '(a, f0.1, a)') 'the left foot of state 7 is pushed up by ', lambda(6, 8), ' N'

  call work%constrained_dynamics(q(:, 8), zero(:, 1), zero(:, 1), single, force)
  if (maxval(abs(single - qdd(:, 8))) <= 1e-8_dp*maxval(abs(single))) then
    write (*, '(a)') 'agrees with a single call: true'
  else
    write (*, '(a)') 'agrees with a single call: false'
  end if

  steps = rollout_options()
  steps%dt = 0.001_dp
  steps%steps = 50
  steps%every = 50
  allocate (q_out(batch%nq, 1, 16), v_out(batch%nv, 1, 16))
  call batch%rollout(q(:, :16), zero, zero, steps, q_out, v_out)
  write (*, '(a, f0.1, a)') 'after 50 ms the fastest joint of 16 states turns at ', maxval(abs(v_out)), ' rad/s'
end program thousand_states
