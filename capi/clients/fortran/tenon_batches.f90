! Computations on many states.
module tenon_batches
  use, intrinsic :: iso_c_binding
  use tenon_raw
  use tenon_objects
  use tenon_models
  use tenon_sets
  implicit none
  private

  ! What a workspace computes, of many states, in double precision. Arrays have a state in each column: q is nq x states. An
  ! input of one column is the same for all. A state that fails spoils only itself: its status is negative, and the call
  ! fails when the others are done. status has room for the states of the largest call; only it is allocated.
  type, public :: batch_t
    type(handle) :: handle
    integer :: nq = 0, nv = 0, m = 0, link_count = 0, constraint_count = 0
    integer(c_int32_t), allocatable :: status(:)
  contains
    procedure :: create
    procedure :: destroy
    procedure :: set_anchor
    procedure :: set_anchors
    procedure :: anchors
    procedure :: anchor_here
    procedure :: set_active
    procedure :: set_gains
    procedure :: forward_dynamics
    procedure :: inverse_dynamics
    procedure :: constrained_dynamics
    procedure :: rollout
    procedure, private :: done
    procedure, private :: states
    procedure, private :: make_room
  end type batch_t

  public :: rollout_options

contains

  ! With the defaults of the library, of which fields may then be changed.
  function rollout_options() result(options)
    type(tenon_rollout_options) :: options
    integer(c_int32_t) :: status
    status = tenon_rollout_options_init(options, c_sizeof(options))
  end function rollout_options

  ! constraints: absent where there are none; they are finished. threads: that compute, the caller's among them.
  subroutine create(self, model, constraints, threads, stat, errmsg)
    class(batch_t), intent(inout) :: self
    type(model_t), intent(in) :: model
    type(constraints_t), intent(inout), optional, target :: constraints
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(tenon_batch_options) :: options
    character(kind=c_char), target :: message(MESSAGE_SIZE)
    type(constraints_t), target :: none
    type(constraints_t), pointer :: set
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    integer :: code
    character(len=MESSAGE_SIZE) :: words
    type(fault) :: found
    call found%living(model%handle, MODEL_KIND)
    if (present(constraints)) call found%living(constraints%handle, CONSTRAINTS_KIND)
    if (told(found, stat, errmsg)) return
    if (present(constraints)) then
      set => constraints
    else
      call none%create(model, code, words)
      if (code < 0) then
        call report(int(code, c_int32_t), trim(words), stat, errmsg)
        return
      end if
      set => none
    end if
    call set%finish(code, words)
    status = int(code, c_int32_t)
    if (status < 0) then
      call report(status, trim(words), stat, errmsg)
      return
    end if
    status = tenon_batch_options_init(options, c_sizeof(options))
    if (present(threads)) options%threads = int(threads, c_int32_t)
    status = tenon_batch_create(model%handle%pointer(), set%handle%pointer(), options, made, message, &
                                int(MESSAGE_SIZE, c_size_t))
    if (status >= 0) then
      call self%handle%hold(made, BATCH_KIND)
      self%nq = model%nq
      self%nv = model%nv
      self%m = set%row_count()
      self%link_count = model%link_count
      self%constraint_count = set%count()
    end if
    call report(status, text(c_loc(message)), stat, errmsg)
  end subroutine create

  subroutine destroy(self)
    class(batch_t), intent(inout) :: self
    call self%handle%free()
  end subroutine destroy

  subroutine done(self, code, stat, errmsg)
    class(batch_t), intent(in) :: self
    integer(c_int32_t), intent(in) :: code
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (code < 0) then
      call report(code, text(tenon_batch_message(self%handle%pointer())), stat, errmsg)
    else if (present(stat)) then
      stat = int(code)
    end if
  end subroutine done

  ! Faults of what every call takes; makes room for the status of each state.
  function states(self, q, v, third, name, wrenches) result(found)
    class(batch_t), intent(inout) :: self
    real(dp), intent(in) :: q(:, :), v(:, :), third(:, :)
    character(len=*), intent(in) :: name
    real(dp), intent(in), optional :: wrenches(:, :)
    type(fault) :: found
    call found%living(self%handle, BATCH_KIND)
    call found%shape_of('q', shape(q), self%nq, size(q, 2))
    call one_or_all(found, 'v', v, self%nv, size(q, 2))
    call one_or_all(found, name, third, self%nv, size(q, 2))
    if (present(wrenches)) call one_or_all(found, 'wrenches', wrenches, 6*self%link_count, size(q, 2))
    if (found%code >= 0) call self%make_room(size(q, 2))
  end function states

  subroutine make_room(self, states)
    class(batch_t), intent(inout) :: self
    integer, intent(in) :: states
    if (allocated(self%status)) then
      if (size(self%status) < states) deallocate (self%status)
    end if
    if (.not. allocated(self%status)) allocate (self%status(max(1, states)))
    self%status = TENON_OK
  end subroutine make_room

  subroutine one_or_all(found, name, numbers, count, states)
    type(fault), intent(inout) :: found
    character(len=*), intent(in) :: name
    real(dp), intent(in) :: numbers(:, :)
    integer, intent(in) :: count, states
    call found%shape_of(name, shape(numbers), count, merge(1, states, size(numbers, 2) == 1))
  end subroutine one_or_all

  ! What the library is told of an array of a column for each state, or of one for all.
  function array(numbers) result(told_)
    real(dp), intent(in), contiguous, target :: numbers(:, :)
    type(tenon_batch_array) :: told_
    told_%struct_size = int(c_sizeof(told_), c_int32_t)
    told_%reserved = 0
    told_%data = c_null_ptr
    if (size(numbers) > 0) told_%data = c_loc(numbers)
    told_%size = size(numbers, kind=c_size_t)
    told_%first = 0
    told_%count = size(numbers, 1, c_size_t)
    told_%number_stride = 1
    told_%state_stride = merge(0, size(numbers, 1), size(numbers, 2) == 1)
    told_%record_stride = 0
  end function array

  ! The same of a result: one state has a column of its own.
  function result_array(numbers) result(told_)
    real(dp), intent(in), contiguous, target :: numbers(:, :)
    type(tenon_batch_array) :: told_
    told_ = array(numbers)
    told_%state_stride = size(numbers, 1)
  end function result_array

  function records_array(numbers) result(told_)
    real(dp), intent(in), contiguous, target :: numbers(:, :, :)
    type(tenon_batch_array) :: told_
    told_%struct_size = int(c_sizeof(told_), c_int32_t)
    told_%reserved = 0
    told_%data = c_null_ptr
    if (size(numbers) > 0) told_%data = c_loc(numbers)
    told_%size = size(numbers, kind=c_size_t)
    told_%first = 0
    told_%count = size(numbers, 1, c_size_t)
    told_%number_stride = 1
    told_%state_stride = size(numbers, 1, c_size_t)*size(numbers, 2, c_size_t)
    told_%record_stride = merge(size(numbers, 1), 0, size(numbers, 2) > 1)
  end function records_array

  ! ---- settings of constraints, which are numbered from 1: those of many states are for calls of as many; those of one
  ! state hold in all

  ! The pose, 7, at which a constraint is held in all states.
  subroutine set_anchor(self, constraint, pose, stat, errmsg)
    class(batch_t), intent(inout) :: self
    integer, intent(in) :: constraint
    real(dp), intent(in), contiguous :: pose(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(fault) :: found
    call found%living(self%handle, BATCH_KIND)
    call found%length('pose', size(pose), 7)
    if (told(found, stat, errmsg)) return
    call self%done(tenon_batch_set_anchor(self%handle%pointer(), int(constraint - 1, c_int32_t), pose, 7_c_size_t), &
                   stat, errmsg)
  end subroutine set_anchor

  ! poses: 7 x constraints x states.
  subroutine set_anchors(self, poses, stat, errmsg)
    class(batch_t), intent(inout) :: self
    real(dp), intent(in), contiguous, target :: poses(:, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(dp), pointer, contiguous :: columns(:, :)
    type(fault) :: found
    call found%living(self%handle, BATCH_KIND)
    call found%shape_of('poses of a state', [size(poses, 1), size(poses, 2)], 7, self%constraint_count)
    if (told(found, stat, errmsg)) return
    columns(1:7*self%constraint_count, 1:size(poses, 3)) => poses
    call self%done(tenon_batch_set_anchors(self%handle%pointer(), size(poses, 3, c_size_t), array(columns)), stat, errmsg)
  end subroutine set_anchors

  ! What was set. poses: 7 x constraints x states.
  subroutine anchors(self, poses, stat, errmsg)
    class(batch_t), intent(in) :: self
    real(dp), intent(inout), contiguous, target :: poses(:, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(dp), pointer, contiguous :: columns(:, :)
    type(fault) :: found
    call found%living(self%handle, BATCH_KIND)
    call found%shape_of('poses of a state', [size(poses, 1), size(poses, 2)], 7, self%constraint_count)
    if (told(found, stat, errmsg)) return
    columns(1:7*self%constraint_count, 1:size(poses, 3)) => poses
    call self%done(tenon_batch_anchors(self%handle%pointer(), size(poses, 3, c_size_t), result_array(columns)), stat, &
                   errmsg)
  end subroutine anchors

  ! The anchors of all constraints are where they are at q.
  subroutine anchor_here(self, q, stat, errmsg)
    class(batch_t), intent(inout) :: self
    real(dp), intent(in), contiguous, target :: q(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_size_t) :: count
    type(fault) :: found
    call found%living(self%handle, BATCH_KIND)
    call found%shape_of('q', shape(q), self%nq, size(q, 2))
    if (told(found, stat, errmsg)) return
    call self%make_room(size(q, 2))
    count = size(q, 2, c_size_t)
    call self%done(tenon_batch_anchor_here(self%handle%pointer(), count, array(q), self%status, count), stat, errmsg)
  end subroutine anchor_here

  ! Which constraints are on: constraints x states.
  subroutine set_active(self, active, stat, errmsg)
    class(batch_t), intent(inout) :: self
    logical, intent(in) :: active(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(dp), allocatable, target :: numbers(:, :)
    type(fault) :: found
    call found%living(self%handle, BATCH_KIND)
    call found%shape_of('active', shape(active), self%constraint_count, size(active, 2))
    if (told(found, stat, errmsg)) return
    numbers = merge(1.0_dp, 0.0_dp, active)
    call self%done(tenon_batch_set_active(self%handle%pointer(), size(numbers, 2, c_size_t), array(numbers)), stat, errmsg)
  end subroutine set_active

  ! constraints x states. damping_ratios: absent: 1.
  subroutine set_gains(self, frequencies, damping_ratios, stat, errmsg)
    class(batch_t), intent(inout) :: self
    real(dp), intent(in), contiguous, target :: frequencies(:, :)
    real(dp), intent(in), contiguous, target, optional :: damping_ratios(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(dp), target :: ones(self%constraint_count, 1)
    integer(c_size_t) :: count
    integer(c_int32_t) :: code
    type(fault) :: found
    count = size(frequencies, 2, c_size_t)
    call found%living(self%handle, BATCH_KIND)
    call found%shape_of('frequencies', shape(frequencies), self%constraint_count, size(frequencies, 2))
    if (present(damping_ratios)) then
      call one_or_all(found, 'damping_ratios', damping_ratios, self%constraint_count, size(frequencies, 2))
    end if
    if (told(found, stat, errmsg)) return
    if (present(damping_ratios)) then
      code = tenon_batch_set_gains(self%handle%pointer(), count, array(frequencies), array(damping_ratios))
    else
      ones = 1
      code = tenon_batch_set_gains(self%handle%pointer(), count, array(frequencies), array(ones))
    end if
    call self%done(code, stat, errmsg)
  end subroutine set_gains

  ! ---- computations

  ! qdd: nv x states.
  subroutine forward_dynamics(self, q, v, tau, qdd, wrenches, stat, errmsg)
    class(batch_t), intent(inout) :: self
    real(dp), intent(in), contiguous, target :: q(:, :), v(:, :), tau(:, :)
    real(dp), intent(inout), contiguous, target :: qdd(:, :)
    real(dp), intent(in), contiguous, target, optional :: wrenches(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_size_t) :: count
    integer(c_int32_t) :: code
    type(fault) :: found
    count = size(q, 2, c_size_t)
    found = self%states(q, v, tau, 'tau', wrenches)
    call found%shape_of('qdd', shape(qdd), self%nv, size(q, 2))
    if (told(found, stat, errmsg)) return
    if (present(wrenches)) then
      code = tenon_batch_forward_dynamics(self%handle%pointer(), count, array(q), array(v), array(tau), array(wrenches), &
                                          result_array(qdd), self%status, count)
    else
      code = tenon_batch_forward_dynamics(self%handle%pointer(), count, array(q), array(v), array(tau), &
                                          qdd=result_array(qdd), status=self%status, status_count=count)
    end if
    call self%done(code, stat, errmsg)
  end subroutine forward_dynamics

  ! tau: nv x states.
  subroutine inverse_dynamics(self, q, v, a, tau, wrenches, stat, errmsg)
    class(batch_t), intent(inout) :: self
    real(dp), intent(in), contiguous, target :: q(:, :), v(:, :), a(:, :)
    real(dp), intent(inout), contiguous, target :: tau(:, :)
    real(dp), intent(in), contiguous, target, optional :: wrenches(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_size_t) :: count
    integer(c_int32_t) :: code
    type(fault) :: found
    count = size(q, 2, c_size_t)
    found = self%states(q, v, a, 'a', wrenches)
    call found%shape_of('tau', shape(tau), self%nv, size(q, 2))
    if (told(found, stat, errmsg)) return
    if (present(wrenches)) then
      code = tenon_batch_inverse_dynamics(self%handle%pointer(), count, array(q), array(v), array(a), array(wrenches), &
                                          result_array(tau), self%status, count)
    else
      code = tenon_batch_inverse_dynamics(self%handle%pointer(), count, array(q), array(v), array(a), &
                                          tau=result_array(tau), status=self%status, status_count=count)
    end if
    call self%done(code, stat, errmsg)
  end subroutine inverse_dynamics

  ! qdd: nv x states. lambda: m x states, forces of the rows.
  subroutine constrained_dynamics(self, q, v, tau, qdd, lambda, options, stat, errmsg)
    class(batch_t), intent(inout) :: self
    real(dp), intent(in), contiguous, target :: q(:, :), v(:, :), tau(:, :)
    real(dp), intent(inout), contiguous, target :: qdd(:, :), lambda(:, :)
    type(tenon_solve_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_size_t) :: count
    integer(c_int32_t) :: code
    type(fault) :: found
    count = size(q, 2, c_size_t)
    found = self%states(q, v, tau, 'tau')
    call found%shape_of('qdd', shape(qdd), self%nv, size(q, 2))
    call found%shape_of('lambda', shape(lambda), self%m, size(q, 2))
    if (told(found, stat, errmsg)) return
    if (self%m > 0) then
      code = tenon_batch_constrained_dynamics(self%handle%pointer(), options, count, array(q), array(v), array(tau), &
                                              qdd=result_array(qdd), lambda=result_array(lambda), &
                                              iterations_count=0_c_size_t, status=self%status, status_count=count)
    else
      code = tenon_batch_constrained_dynamics(self%handle%pointer(), options, count, array(q), array(v), array(tau), &
                                              qdd=result_array(qdd), iterations_count=0_c_size_t, status=self%status, &
                                              status_count=count)
    end if
    call self%done(code, stat, errmsg)
  end subroutine constrained_dynamics

  ! Steps in time; tau is the same in all of them. options: from rollout_options, whose field solve is taken from the
  ! argument of that name. q_out: nq x records x states, v_out likewise; records: steps / every.
  subroutine rollout(self, q, v, tau, options, q_out, v_out, solve, stat, errmsg)
    class(batch_t), intent(inout) :: self
    real(dp), intent(in), contiguous, target :: q(:, :), v(:, :), tau(:, :)
    type(tenon_rollout_options), intent(in) :: options
    real(dp), intent(inout), contiguous, target :: q_out(:, :, :), v_out(:, :, :)
    type(tenon_solve_options), intent(in), optional, target :: solve
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(tenon_rollout_options) :: chosen
    integer(c_size_t) :: records, count
    type(fault) :: found
    chosen = options
    if (present(solve)) chosen%solve = c_loc(solve)
    ! The library reads them without a sign.
    if (options%steps < 0 .or. options%every < 1) then
      call found%other(TENON_INVALID_ARGUMENT, 'steps and every of rollouts are 0 and 1 or more')
      if (told(found, stat, errmsg)) return
    end if
    records = options%steps/options%every
    found = self%states(q, v, tau, 'tau')
    call found%shape_of('q_out', [size(q_out, 1), size(q_out, 3)], self%nq, size(q, 2))
    call found%shape_of('v_out', [size(v_out, 1), size(v_out, 3)], self%nv, size(q, 2))
    if (size(q_out, 2, c_size_t) /= records .or. size(v_out, 2, c_size_t) /= records) then
      call found%other(TENON_WRONG_SIZE, 'q_out and v_out have in their second dimension the records, steps / every')
    end if
    if (told(found, stat, errmsg)) return
    count = size(q, 2, c_size_t)
    call self%done(tenon_batch_rollout(self%handle%pointer(), chosen, count, array(q), array(v), &
                                       array(tau), q_out=records_array(q_out), v_out=records_array(v_out), &
                                       status=self%status, status_count=count), stat, errmsg)
  end subroutine rollout

end module tenon_batches
