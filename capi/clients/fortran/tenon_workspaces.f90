! Computations on one state at a time.
module tenon_workspaces
  use, intrinsic :: iso_c_binding
  use tenon_raw
  use tenon_objects
  use tenon_models
  use tenon_sets
  implicit none
  private

  ! The memory of computations, for one thread at a time. Arrays are contiguous; they are not copied, and one that does not
  ! fit is refused before the call. wrenches: 6 for each link, [moment about its origin; force] along link axes; absent:
  ! none. No call here allocates.
  type, public :: workspace_t
    type(handle) :: handle
    integer :: nq = 0, nv = 0, m = 0, link_count = 0
    integer :: status = 0 ! of the last computation
  contains
    procedure :: create
    procedure :: destroy
    procedure :: report => report_of
    procedure :: set_gravity
    procedure :: set_active
    procedure :: anchor_here
    procedure :: neutral
    procedure :: random
    procedure :: integrate
    procedure :: difference
    procedure :: kinematics
    procedure :: link_pose
    procedure :: link_velocity
    procedure :: jacobian
    procedure :: energy
    procedure :: forward_dynamics
    procedure :: inverse_dynamics
    procedure :: bias
    procedure :: gravity_force
    procedure :: mass_matrix
    procedure :: constrained_dynamics
    procedure :: constrained_inverse_dynamics
    procedure :: constraint_rows
    procedure :: delassus
    procedure :: step
    procedure, private :: done
    procedure, private :: p
    procedure, private :: state
    procedure, private :: inputs
  end type workspace_t

  public :: solve_options

contains

  ! With the defaults of the library, of which fields may then be changed.
  function solve_options() result(options)
    type(tenon_solve_options) :: options
    integer(c_int32_t) :: status
    status = tenon_solve_options_init(options, c_sizeof(options))
  end function solve_options

  ! constraints: absent where there are none; they are finished.
  subroutine create(self, model, constraints, options, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    type(model_t), intent(in) :: model
    type(constraints_t), intent(inout), optional :: constraints
    type(tenon_workspace_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), target :: message(MESSAGE_SIZE)
    type(c_ptr) :: made, set
    integer(c_int32_t) :: status
    type(fault) :: found
    set = c_null_ptr
    call found%living(model%handle, MODEL_KIND)
    if (present(constraints)) call found%living(constraints%handle, CONSTRAINTS_KIND)
    if (told(found, stat, errmsg)) return
    if (present(constraints)) then
      call constraints%finish(stat, errmsg)
      if (present(stat)) then
        if (stat < 0) return
      end if
      set = constraints%handle%pointer()
    end if
    status = tenon_workspace_create(model%handle%pointer(), set, options, made, message, int(MESSAGE_SIZE, c_size_t))
    if (status >= 0) then
      call self%handle%hold(made, WORKSPACE_KIND)
      self%nq = tenon_workspace_position_count(made)
      self%nv = tenon_workspace_velocity_count(made)
      self%m = tenon_workspace_row_count(made)
      self%link_count = model%link_count
      self%status = 0
    end if
    call report(status, text(c_loc(message)), stat, errmsg)
  end subroutine create

  subroutine destroy(self)
    class(workspace_t), intent(inout) :: self
    call self%handle%free()
  end subroutine destroy

  function p(self) result(pointer)
    class(workspace_t), intent(in) :: self
    type(c_ptr) :: pointer
    pointer = self%handle%pointer()
  end function p

  ! What came of a computation.
  subroutine done(self, code, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    integer(c_int32_t), intent(in) :: code
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    self%status = int(code)
    if (code < 0) then
      call report(code, text(tenon_workspace_message(self%p())), stat, errmsg)
    else if (present(stat)) then
      stat = int(code)
    end if
  end subroutine done

  ! Faults of what most computations take: this object, positions and velocities.
  function state(self, q, v) result(found)
    class(workspace_t), intent(in) :: self
    real(dp), intent(in), optional :: q(:), v(:)
    type(fault) :: found
    call found%living(self%handle, WORKSPACE_KIND)
    if (present(q)) call found%length('q', size(q), self%nq)
    if (present(v)) call found%length('v', size(v), self%nv)
  end function state

  ! The same of dynamics, which take torques or accelerations too, and write the other.
  function inputs(self, q, v, third, third_name, written, written_name, wrenches) result(found)
    class(workspace_t), intent(in) :: self
    real(dp), intent(in) :: q(:), v(:), third(:), written(:)
    character(len=*), intent(in) :: third_name, written_name
    real(dp), intent(in), optional :: wrenches(:)
    type(fault) :: found
    found = self%state(q, v)
    call found%length(third_name, size(third), self%nv)
    call found%length(written_name, size(written), self%nv)
    if (present(wrenches)) call found%length('wrenches', size(wrenches), 6*self%link_count)
  end function inputs

  pure function n(numbers) result(count)
    real(dp), intent(in) :: numbers(:)
    integer(c_size_t) :: count
    count = size(numbers, kind=c_size_t)
  end function n

  ! How the last constrained solve went.
  function report_of(self, stat, errmsg) result(known)
    class(workspace_t), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(tenon_solve_report) :: known
    integer(c_int32_t) :: status
    type(fault) :: found
    status = tenon_solve_report_init(known, c_sizeof(known))
    found = self%state()
    if (told(found, stat, errmsg)) return
    status = tenon_workspace_report(self%p(), known)
    call report(status, 'the report', stat, errmsg)
  end function report_of

  ! ---- settings

  subroutine set_gravity(self, gravity, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: gravity(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state()
    call found%length('gravity', size(gravity), 3)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_workspace_set_gravity(self%p(), gravity, 3_c_size_t), stat, errmsg)
  end subroutine set_gravity

  ! Constraints are numbered from 1.
  subroutine set_active(self, constraint, active, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    integer, intent(in) :: constraint
    logical, intent(in) :: active
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state()
    if (told(found, stat, errmsg)) return
    call self%done(tenon_workspace_set_active(self%p(), int(constraint - 1, c_int32_t), &
                                              merge(1_c_int32_t, 0_c_int32_t, active)), stat, errmsg)
  end subroutine set_active

  ! The anchors of all constraints are where they are at q.
  subroutine anchor_here(self, q, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state(q)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_workspace_anchor_here(self%p(), q, n(q)), stat, errmsg)
  end subroutine anchor_here

  ! ---- configurations

  subroutine neutral(self, q, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(inout), contiguous :: q(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state(q)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_neutral(self%p(), q, n(q)), stat, errmsg)
  end subroutine neutral

  ! Within the limits, the same for the same seed everywhere.
  subroutine random(self, seed, q, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    integer, intent(in) :: seed
    real(dp), intent(inout), contiguous :: q(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state(q)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_random(self%p(), int(seed, c_int64_t), q, n(q)), stat, errmsg)
  end subroutine random

  subroutine integrate(self, q, v, dt, next, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:), v(:)
    real(dp), intent(in) :: dt
    real(dp), intent(inout), contiguous :: next(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state(q, v)
    call found%length('next', size(next), self%nq)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_integrate(self%p(), q, n(q), v, n(v), dt, next, n(next)), stat, errmsg)
  end subroutine integrate

  ! The velocity that leads from one configuration to another in unit time.
  subroutine difference(self, from, to, v, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: from(:), to(:)
    real(dp), intent(inout), contiguous :: v(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state(v=v)
    call found%length('from', size(from), self%nq)
    call found%length('to', size(to), self%nq)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_difference(self%p(), from, n(from), to, n(to), v, n(v)), stat, errmsg)
  end subroutine difference

  ! ---- kinematics

  ! What follows answers for this state.
  subroutine kinematics(self, q, v, a, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:)
    real(dp), intent(in), contiguous, optional :: v(:), a(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state(q, v)
    if (present(a)) call found%length('a', size(a), self%nv)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_kinematics(self%p(), q, n(q), v, int(self%nv, c_size_t), a, int(self%nv, c_size_t)), stat, errmsg)
  end subroutine kinematics

  ! [x y z qx qy qz qw] in the world.
  subroutine link_pose(self, link, pose, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    integer, intent(in) :: link
    real(dp), intent(inout), contiguous :: pose(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state()
    call found%length('pose', size(pose), 7)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_link_pose(self%p(), int(link - 1, c_int32_t), pose, n(pose), rotation_count=0_c_size_t), &
                   stat, errmsg)
  end subroutine link_pose

  ! [angular; linear at the link's origin]. axes: TENON_AXES_*.
  subroutine link_velocity(self, link, axes, velocity, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    integer, intent(in) :: link
    integer(c_int32_t), intent(in) :: axes
    real(dp), intent(inout), contiguous :: velocity(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state()
    call found%length('velocity', size(velocity), 6)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_link_velocity(self%p(), int(link - 1, c_int32_t), axes, velocity, n(velocity)), stat, errmsg)
  end subroutine link_velocity

  ! 6 x nv: J v = [angular velocity of the link; velocity of the point, or of its origin].
  subroutine jacobian(self, link, axes, J, point, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    integer, intent(in) :: link
    integer(c_int32_t), intent(in) :: axes
    real(dp), intent(inout), contiguous :: J(:, :)
    real(dp), intent(in), contiguous, optional :: point(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state()
    call found%shape_of('J', shape(J), 6, self%nv)
    if (present(point)) call found%length('point', size(point), 3)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_point_jacobian(self%p(), int(link - 1, c_int32_t), point, 3_c_size_t, axes, J, &
                                        size(J, kind=c_size_t), 6_c_int32_t), stat, errmsg)
  end subroutine jacobian

  subroutine energy(self, kinetic, potential, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(out) :: kinetic, potential
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    kinetic = 0
    potential = 0
    found = self%state()
    if (told(found, stat, errmsg)) return
    call self%done(tenon_energy(self%p(), kinetic, potential), stat, errmsg)
  end subroutine energy

  ! ---- dynamics

  ! qdd = M^-1 (tau + external - c).
  subroutine forward_dynamics(self, q, v, tau, qdd, wrenches, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:), v(:), tau(:)
    real(dp), intent(inout), contiguous :: qdd(:)
    real(dp), intent(in), contiguous, optional :: wrenches(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%inputs(q, v, tau, 'tau', qdd, 'qdd', wrenches)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_forward_dynamics(self%p(), q, n(q), v, n(v), tau, n(tau), wrenches, &
                                          6_c_size_t*self%link_count, qdd, n(qdd)), stat, errmsg)
  end subroutine forward_dynamics

  ! tau = M a + c - external.
  subroutine inverse_dynamics(self, q, v, a, tau, wrenches, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:), v(:), a(:)
    real(dp), intent(inout), contiguous :: tau(:)
    real(dp), intent(in), contiguous, optional :: wrenches(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%inputs(q, v, a, 'a', tau, 'tau', wrenches)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_inverse_dynamics(self%p(), q, n(q), v, n(v), a, n(a), wrenches, &
                                          6_c_size_t*self%link_count, tau, n(tau)), stat, errmsg)
  end subroutine inverse_dynamics

  ! c(q, v).
  subroutine bias(self, q, v, c, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:), v(:)
    real(dp), intent(inout), contiguous :: c(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state(q, v)
    call found%length('c', size(c), self%nv)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_bias(self%p(), q, n(q), v, n(v), wrenches_count=0_c_size_t, c=c, c_count=n(c)), stat, errmsg)
  end subroutine bias

  subroutine gravity_force(self, q, g, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:)
    real(dp), intent(inout), contiguous :: g(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state(q)
    call found%length('g', size(g), self%nv)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_gravity_force(self%p(), q, n(q), g, n(g)), stat, errmsg)
  end subroutine gravity_force

  subroutine mass_matrix(self, q, M, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:)
    real(dp), intent(inout), contiguous :: M(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state(q)
    call found%shape_of('M', shape(M), self%nv, self%nv)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_mass_matrix(self%p(), q, n(q), M, size(M, kind=c_size_t), int(max(self%nv, 1), c_int32_t)), &
                   stat, errmsg)
  end subroutine mass_matrix

  ! ---- dynamics with constraints

  ! desired: accelerations of the rows; absent: none. options: from solve_options.
  subroutine constrained_dynamics(self, q, v, tau, qdd, lambda, wrenches, desired, options, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:), v(:), tau(:)
    real(dp), intent(inout), contiguous :: qdd(:), lambda(:)
    real(dp), intent(in), contiguous, optional :: wrenches(:), desired(:)
    type(tenon_solve_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%inputs(q, v, tau, 'tau', qdd, 'qdd', wrenches)
    call found%length('lambda', size(lambda), self%m)
    if (present(desired)) call found%length('desired', size(desired), self%m)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_constrained_dynamics(self%p(), options, q, n(q), v, n(v), tau, n(tau), wrenches, &
                                              6_c_size_t*self%link_count, desired, n(lambda), qdd, n(qdd), lambda, &
                                              n(lambda)), stat, errmsg)
  end subroutine constrained_dynamics

  ! tau = M a + c - J^T lambda.
  subroutine constrained_inverse_dynamics(self, q, v, a, lambda, tau, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:), v(:), a(:), lambda(:)
    real(dp), intent(inout), contiguous :: tau(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%inputs(q, v, a, 'a', tau, 'tau')
    call found%length('lambda', size(lambda), self%m)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_constrained_inverse_dynamics(self%p(), q, n(q), v, n(v), a, n(a), wrenches_count=0_c_size_t, &
                                                      lambda=lambda, lambda_count=n(lambda), tau=tau, &
                                                      tau_count=n(tau)), stat, errmsg)
  end subroutine constrained_inverse_dynamics

  ! The rows at a state: J qdd = rhs.
  subroutine constraint_rows(self, q, v, J, rhs, position_error, velocity, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:), v(:)
    real(dp), intent(inout), contiguous :: J(:, :), rhs(:)
    real(dp), intent(inout), contiguous, optional :: position_error(:), velocity(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    found = self%state(q, v)
    call found%shape_of('J', shape(J), self%m, self%nv)
    call found%length('rhs', size(rhs), self%m)
    if (present(position_error)) call found%length('position_error', size(position_error), self%m)
    if (present(velocity)) call found%length('velocity', size(velocity), self%m)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_constraint_rows(self%p(), q, n(q), v, n(v), desired_count=0_c_size_t, J=J, &
                                         J_count=size(J, kind=c_size_t), ldj=int(max(self%m, 1), c_int32_t), rhs=rhs, &
                                         rhs_count=n(rhs), position_error=position_error, &
                                         position_error_count=n(rhs), row_velocity=velocity, &
                                         row_velocity_count=n(rhs)), stat, errmsg)
  end subroutine constraint_rows

  ! J M^-1 J^T. method: TENON_DELASSUS_METHOD_*.
  subroutine delassus(self, q, A, method, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(in), contiguous :: q(:)
    real(dp), intent(inout), contiguous :: A(:, :)
    integer(c_int32_t), intent(in), optional :: method
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(tenon_delassus_options) :: options
    integer(c_int32_t) :: status
    type(fault) :: found
    found = self%state(q)
    call found%shape_of('A', shape(A), self%m, self%m)
    if (told(found, stat, errmsg)) return
    status = tenon_delassus_options_init(options, c_sizeof(options))
    if (present(method)) options%method = method
    call self%done(tenon_delassus(self%p(), options, q, n(q), A, size(A, kind=c_size_t), &
                                  int(max(self%m, 1), c_int32_t)), stat, errmsg)
  end subroutine delassus

  ! One step in time: q and v change in place. integrator: TENON_INTEGRATOR_*; absent: semi-implicit Euler.
  subroutine step(self, q, v, tau, dt, integrator, options, stat, errmsg)
    class(workspace_t), intent(inout) :: self
    real(dp), intent(inout), contiguous :: q(:), v(:)
    real(dp), intent(in), contiguous :: tau(:)
    real(dp), intent(in) :: dt
    integer(c_int32_t), intent(in), optional :: integrator
    type(tenon_solve_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: which
    integer(c_size_t), parameter :: none = 0
    type(fault) :: found
    which = TENON_INTEGRATOR_SEMI_IMPLICIT_EULER
    if (present(integrator)) which = integrator
    found = self%state(q, v)
    call found%length('tau', size(tau), self%nv)
    if (all(which /= [TENON_INTEGRATOR_SEMI_IMPLICIT_EULER, TENON_INTEGRATOR_RUNGE_KUTTA_4])) then
      call found%other(TENON_INVALID_ARGUMENT, 'integrator: TENON_INTEGRATOR_* is needed')
    end if
    if (told(found, stat, errmsg)) return
    if (which == TENON_INTEGRATOR_RUNGE_KUTTA_4) then
      call self%done(tenon_step_runge_kutta_4(self%p(), options, dt, q, n(q), v, n(v), tau, n(tau), &
                                              wrenches_count=none, qdd_count=none, lambda_count=none), stat, errmsg)
    else
      call self%done(tenon_step_semi_implicit_euler(self%p(), options, dt, q, n(q), v, n(v), tau, n(tau), &
                                                    wrenches_count=none, qdd_count=none, lambda_count=none), stat, errmsg)
    end if
  end subroutine step

end module tenon_workspaces
