! What is held on the links of a robot.
module tenon_sets
  use, intrinsic :: iso_c_binding
  use tenon_raw
  use tenon_objects
  use tenon_models
  implicit none
  private

  ! Filled, then finished, by finish or the first workspace or batch; immutable from then on.
  type, public :: constraints_t
    type(handle) :: handle
    logical, private :: finished = .false.
  contains
    procedure :: create
    procedure :: destroy
    procedure :: add_point
    procedure :: add_weld
    procedure :: add_rows
    procedure :: finish
    procedure :: count => count_of
    procedure :: row_count
  end type constraints_t

  ! How a constraint is held; what is not set has the library's default. rows: TENON_ROWS_*; axes: TENON_AXES_*.
  type, public :: constraint_options_t
    character(len=:), allocatable :: name
    integer :: axes = -1, rows = -1
    real(dp) :: frequency = 0, damping_ratio = 1
    real(dp), allocatable :: weights(:), compliance(:)
  end type constraint_options_t

contains

  ! Starts an empty set.
  subroutine create(self, model, stat, errmsg)
    class(constraints_t), intent(inout) :: self
    type(model_t), intent(in) :: model
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), target :: message(MESSAGE_SIZE)
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    type(fault) :: found
    call found%living(model%handle, MODEL_KIND)
    if (told(found, stat, errmsg)) return
    status = tenon_constraints_create(model%handle%pointer(), made, message, int(MESSAGE_SIZE, c_size_t))
    if (status >= 0) call self%handle%hold(made, CONSTRAINTS_KIND)
    self%finished = .false.
    call report(status, text(c_loc(message)), stat, errmsg)
  end subroutine create

  subroutine destroy(self)
    class(constraints_t), intent(inout) :: self
    call self%handle%free()
  end subroutine destroy

  ! The struct of the library; name, weights and compliance hold what it points to.
  subroutine choose(chosen, name, weights, compliance, options)
    type(tenon_constraint_options), intent(out) :: chosen
    character(kind=c_char), allocatable, target, intent(out) :: name(:)
    real(dp), allocatable, target, intent(out) :: weights(:), compliance(:)
    type(constraint_options_t), intent(in), optional :: options
    integer(c_int32_t) :: status
    status = tenon_constraint_options_init(chosen, c_sizeof(chosen))
    if (.not. present(options)) return
    if (options%axes >= 0) chosen%axes = options%axes
    if (options%rows >= 0) chosen%rows = options%rows
    chosen%frequency = options%frequency
    chosen%damping_ratio = options%damping_ratio
    if (allocated(options%name)) then
      name = transfer(c_text(options%name), [c_null_char])
      chosen%name = c_loc(name)
    end if
    if (allocated(options%weights)) then
      weights = options%weights
      chosen%weights = c_loc(weights)
      chosen%weights_count = size(weights, kind=c_size_t)
    end if
    if (allocated(options%compliance)) then
      compliance = options%compliance
      chosen%compliance = c_loc(compliance)
      chosen%compliance_count = size(compliance, kind=c_size_t)
    end if
  end subroutine choose

  ! A point of a link, 3, m; absent: its origin. number: of the constraint.
  subroutine add_point(self, link, point, options, number, stat, errmsg)
    class(constraints_t), intent(inout) :: self
    integer, intent(in) :: link
    real(dp), intent(in), optional :: point(:)
    type(constraint_options_t), intent(in), optional :: options
    integer, intent(out), optional :: number, stat
    character(len=*), intent(inout), optional :: errmsg
    call add(self, link, 3, 'point', point, options, number, stat, errmsg)
  end subroutine add_point

  ! A frame of a link, pose of 7; absent: the link's own.
  subroutine add_weld(self, link, pose, options, number, stat, errmsg)
    class(constraints_t), intent(inout) :: self
    integer, intent(in) :: link
    real(dp), intent(in), optional :: pose(:)
    type(constraint_options_t), intent(in), optional :: options
    integer, intent(out), optional :: number, stat
    character(len=*), intent(inout), optional :: errmsg
    call add(self, link, 7, 'pose', pose, options, number, stat, errmsg)
  end subroutine add_weld

  subroutine add(self, link, needed, name, where_, options, number, stat, errmsg)
    class(constraints_t), intent(inout) :: self
    integer, intent(in) :: link, needed
    character(len=*), intent(in) :: name
    real(dp), intent(in), optional :: where_(:)
    type(constraint_options_t), intent(in), optional :: options
    integer, intent(out), optional :: number, stat
    character(len=*), intent(inout), optional :: errmsg
    type(tenon_constraint_options) :: chosen
    character(kind=c_char), allocatable, target :: called(:)
    character(kind=c_char), target :: message(MESSAGE_SIZE)
    real(dp), allocatable, target :: weights(:), compliance(:), place(:)
    integer(c_int32_t) :: index, status
    type(fault) :: found
    if (present(number)) number = 0
    call found%living(self%handle, CONSTRAINTS_KIND)
    if (present(where_)) call found%length(name, size(where_), needed)
    if (told(found, stat, errmsg)) return
    if (present(where_)) place = where_
    call choose(chosen, called, weights, compliance, options)
    if (needed == 3) then
      status = tenon_constraints_add_point(self%handle%pointer(), int(link - 1, c_int32_t), place, &
                                           int(needed, c_size_t), chosen, index, message, int(MESSAGE_SIZE, c_size_t))
    else
      status = tenon_constraints_add_weld(self%handle%pointer(), int(link - 1, c_int32_t), place, &
                                          int(needed, c_size_t), chosen, index, message, int(MESSAGE_SIZE, c_size_t))
    end if
    if (status >= 0 .and. present(number)) number = index + 1
    call report(status, text(c_loc(message)), stat, errmsg)
  end subroutine add

  ! K a = k with the spatial acceleration a of the link in its frame; K has 6 columns.
  subroutine add_rows(self, link, K, options, number, stat, errmsg)
    class(constraints_t), intent(inout) :: self
    integer, intent(in) :: link
    real(dp), intent(in), contiguous :: K(:, :)
    type(constraint_options_t), intent(in), optional :: options
    integer, intent(out), optional :: number, stat
    character(len=*), intent(inout), optional :: errmsg
    type(tenon_constraint_options) :: chosen
    character(kind=c_char), allocatable, target :: called(:)
    character(kind=c_char), target :: message(MESSAGE_SIZE)
    real(dp), allocatable, target :: weights(:), compliance(:)
    integer(c_int32_t) :: rows, index, status
    type(fault) :: found
    if (present(number)) number = 0
    rows = size(K, 1)
    call found%living(self%handle, CONSTRAINTS_KIND)
    call found%shape_of('K', shape(K), int(rows), 6)
    if (told(found, stat, errmsg)) return
    call choose(chosen, called, weights, compliance, options)
    status = tenon_constraints_add_rows(self%handle%pointer(), int(link - 1, c_int32_t), rows, K, &
                                        size(K, kind=c_size_t), max(rows, 1), chosen, index, message, &
                                        int(MESSAGE_SIZE, c_size_t))
    if (status >= 0 .and. present(number)) number = index + 1
    call report(status, text(c_loc(message)), stat, errmsg)
  end subroutine add_rows

  ! Does nothing the second time.
  subroutine finish(self, stat, errmsg)
    class(constraints_t), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), target :: message(MESSAGE_SIZE)
    integer(c_int32_t) :: status
    type(fault) :: found
    call found%living(self%handle, CONSTRAINTS_KIND)
    if (told(found, stat, errmsg)) return
    status = TENON_OK
    message(1) = c_null_char
    if (.not. self%finished) then
      status = tenon_constraints_finish(self%handle%pointer(), message, int(MESSAGE_SIZE, c_size_t))
    end if
    if (status >= 0) self%finished = .true.
    call report(status, text(c_loc(message)), stat, errmsg)
  end subroutine finish

  ! 0 where there is no set.
  function count_of(self) result(count)
    class(constraints_t), intent(in) :: self
    integer :: count
    count = max(0, int(tenon_constraints_constraint_count(self%handle%pointer())))
  end function count_of

  ! The length of lambda; 0 before the set is finished.
  function row_count(self) result(count)
    class(constraints_t), intent(in) :: self
    integer :: count
    count = max(0, int(tenon_constraints_row_count(self%handle%pointer())))
  end function row_count

end module tenon_sets
