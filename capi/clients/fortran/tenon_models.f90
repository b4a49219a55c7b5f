! Robots.
module tenon_models
  use, intrinsic :: iso_c_binding
  use tenon_raw
  use tenon_objects
  implicit none
  private

  ! A robot: immutable, and any number of threads may read it. Links and joints are numbered from 1.
  type, public :: model_t
    type(handle) :: handle
    character(len=:), allocatable :: name
    integer :: nq = 0, nv = 0, link_count = 0, joint_count = 0, body_count = 0, depth = 0
    logical :: floating_base = .false.
    real(dp) :: total_mass = 0
  contains
    procedure :: load
    procedure :: parse
    procedure :: take
    procedure :: destroy
    procedure :: find_link
    procedure :: find_joint
    procedure :: link
    procedure :: joint
    procedure :: link_name
    procedure :: joint_name
    procedure :: describe
    procedure :: warning_count
    procedure :: warning
  end type model_t

  ! What is known of a link. 0: none, or the world.
  type, public :: link_t
    character(len=:), allocatable :: name
    integer :: parent_link = 0, joint = 0, body = 0
    logical :: is_frame = .false.
    real(dp) :: mass = 0, center_of_mass(3) = 0, inertia(6) = 0
  end type link_t

  ! What is known of a joint. q_index, v_index: of its first position and velocity; 0: no link.
  type, public :: joint_t
    character(len=:), allocatable :: name, type
    integer :: parent_link = 0, child_link = 0, q_index = 0, nq = 0, v_index = 0, nv = 0
    real(dp) :: axis(3) = 0, origin(7) = 0, lower = 0, upper = 0, velocity = 0, effort = 0, armature = 0, pitch = 0
  end type joint_t

contains

  ! From a URDF file. What is absent has the default of the library, or that of options.
  subroutine load(self, path, floating, gravity, floating_joint_name, options, stat, errmsg)
    class(model_t), intent(inout) :: self
    character(len=*), intent(in) :: path
    logical, intent(in), optional :: floating
    real(dp), intent(in), optional :: gravity(3)
    character(len=*), intent(in), optional :: floating_joint_name
    type(tenon_model_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call read_urdf(self, .true., path, floating, gravity, floating_joint_name, options, stat, errmsg)
  end subroutine load

  ! The same from URDF text.
  subroutine parse(self, urdf, floating, gravity, floating_joint_name, options, stat, errmsg)
    class(model_t), intent(inout) :: self
    character(len=*), intent(in) :: urdf
    logical, intent(in), optional :: floating
    real(dp), intent(in), optional :: gravity(3)
    character(len=*), intent(in), optional :: floating_joint_name
    type(tenon_model_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call read_urdf(self, .false., urdf, floating, gravity, floating_joint_name, options, stat, errmsg)
  end subroutine parse

  ! source: a path, or text.
  subroutine read_urdf(self, file, source, floating, gravity, floating_joint_name, options, stat, errmsg)
    class(model_t), intent(inout) :: self
    logical, intent(in) :: file
    character(len=*), intent(in) :: source
    logical, intent(in), optional :: floating
    real(dp), intent(in), optional :: gravity(3)
    character(len=*), intent(in), optional :: floating_joint_name
    type(tenon_model_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_size_t), parameter :: room = MESSAGE_SIZE
    type(tenon_model_options) :: chosen
    character(kind=c_char), allocatable, target :: name(:)
    character(kind=c_char), target :: message(MESSAGE_SIZE)
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = tenon_model_options_init(chosen, c_sizeof(chosen))
    if (present(options)) chosen = options
    if (present(floating)) chosen%base = merge(TENON_BASE_FLOATING, TENON_BASE_FIXED, floating)
    if (present(gravity)) chosen%gravity = gravity
    if (present(floating_joint_name)) then
      name = transfer(c_text(floating_joint_name), [c_null_char])
      chosen%floating_joint_name = c_loc(name)
    end if
    if (file) then
      status = tenon_model_load_urdf(c_text(source), chosen, made, message, room)
    else
      status = tenon_model_parse_urdf(source, len(source, c_size_t), chosen, made, message, room)
    end if
    if (status >= 0) call self%take(made)
    call report(status, text(c_loc(message)), stat, errmsg)
  end subroutine read_urdf

  ! Takes over a model that calls of tenon_raw made.
  subroutine take(self, pointer)
    class(model_t), intent(inout) :: self
    type(c_ptr), intent(in) :: pointer
    call self%handle%hold(pointer, MODEL_KIND)
    self%name = text(tenon_model_name(pointer))
    self%nq = tenon_model_nq(pointer)
    self%nv = tenon_model_nv(pointer)
    self%link_count = tenon_model_link_count(pointer)
    self%joint_count = tenon_model_joint_count(pointer)
    self%body_count = tenon_model_body_count(pointer)
    self%depth = tenon_model_depth(pointer)
    self%floating_base = tenon_model_floating_base(pointer) == 1
    self%total_mass = tenon_model_total_mass(pointer)
  end subroutine take

  ! Now; does nothing the second time. What was made from it stays good.
  subroutine destroy(self)
    class(model_t), intent(inout) :: self
    call self%handle%free()
  end subroutine destroy

  ! The number of a link; 0 where it failed.
  function find_link(self, name, stat, errmsg) result(number)
    class(model_t), intent(in) :: self
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer :: number
    number = find(self, .true., name, stat, errmsg)
  end function find_link

  ! The number of a joint; 0 where it failed.
  function find_joint(self, name, stat, errmsg) result(number)
    class(model_t), intent(in) :: self
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer :: number
    number = find(self, .false., name, stat, errmsg)
  end function find_joint

  function find(self, of_link, name, stat, errmsg) result(number)
    class(model_t), intent(in) :: self
    logical, intent(in) :: of_link
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_size_t), parameter :: room = MESSAGE_SIZE
    integer :: number
    character(kind=c_char), target :: message(MESSAGE_SIZE)
    integer(c_int32_t) :: index, status
    type(fault) :: found
    number = 0
    index = -1
    call found%living(self%handle, MODEL_KIND)
    if (told(found, stat, errmsg)) return
    if (of_link) then
      status = tenon_model_find_link(self%handle%pointer(), c_text(name), index, message, room)
    else
      status = tenon_model_find_joint(self%handle%pointer(), c_text(name), index, message, room)
    end if
    if (status >= 0) number = index + 1
    call report(status, text(c_loc(message)), stat, errmsg)
  end function find

  function link(self, number, stat, errmsg) result(known)
    class(model_t), intent(in) :: self
    integer, intent(in) :: number
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(link_t) :: known
    type(tenon_link_info) :: info
    integer(c_int32_t) :: status
    type(fault) :: found
    known%name = ''
    call found%living(self%handle, MODEL_KIND)
    if (number < 1 .or. number > self%link_count) call found%other(TENON_OUT_OF_RANGE, 'there is no link of this number')
    if (told(found, stat, errmsg)) return
    status = tenon_link_info_init(info, c_sizeof(info))
    if (status >= 0) status = tenon_model_link_info(self%handle%pointer(), int(number - 1, c_int32_t), info)
    call report(status, 'what is known of a link', stat, errmsg)
    if (status < 0) return
    known%name = text(info%name)
    known%parent_link = place_number(info%parent_link)
    known%joint = place_number(info%joint)
    known%body = place_number(info%body)
    known%is_frame = info%is_frame == 1
    known%mass = info%mass
    known%center_of_mass = info%center_of_mass
    known%inertia = info%inertia
  end function link

  function joint(self, number, stat, errmsg) result(known)
    class(model_t), intent(in) :: self
    integer, intent(in) :: number
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(joint_t) :: known
    type(tenon_joint_info) :: info
    integer(c_int32_t) :: status
    type(fault) :: found
    known%name = ''
    known%type = ''
    call found%living(self%handle, MODEL_KIND)
    if (number < 1 .or. number > self%joint_count) call found%other(TENON_OUT_OF_RANGE, 'there is no joint of this number')
    if (told(found, stat, errmsg)) return
    status = tenon_joint_info_init(info, c_sizeof(info))
    if (status >= 0) status = tenon_model_joint_info(self%handle%pointer(), int(number - 1, c_int32_t), info)
    call report(status, 'what is known of a joint', stat, errmsg)
    if (status < 0) return
    known%name = text(info%name)
    known%type = text(tenon_constant_name(TENON_CONSTANT_JOINT_TYPE, info%type))
    known%parent_link = place_number(info%parent_link)
    known%child_link = place_number(info%child_link)
    known%q_index = info%q_index + 1
    known%nq = info%nq
    known%v_index = info%v_index + 1
    known%nv = info%nv
    known%axis = info%axis
    known%origin = info%origin
    known%lower = info%lower
    known%upper = info%upper
    known%velocity = info%velocity
    known%effort = info%effort
    known%armature = info%armature
    known%pitch = info%pitch
  end function joint

  ! "" where there is no such link; no such joint; no such warning.
  function link_name(self, number) result(name)
    class(model_t), intent(in) :: self
    integer, intent(in) :: number
    character(len=:), allocatable :: name
    name = text(tenon_model_link_name(self%handle%pointer(), int(number - 1, c_int32_t)))
  end function link_name

  function joint_name(self, number) result(name)
    class(model_t), intent(in) :: self
    integer, intent(in) :: number
    character(len=:), allocatable :: name
    name = text(tenon_model_joint_name(self%handle%pointer(), int(number - 1, c_int32_t)))
  end function joint_name

  function warning(self, number) result(sentence)
    class(model_t), intent(in) :: self
    integer, intent(in) :: number
    character(len=:), allocatable :: sentence
    sentence = text(tenon_model_warning(self%handle%pointer(), int(number - 1, c_int32_t)))
  end function warning

  ! What the reader noticed and passed over: how many sentences.
  function warning_count(self) result(count)
    class(model_t), intent(in) :: self
    integer :: count
    count = max(0, int(tenon_model_warning_count(self%handle%pointer())))
  end function warning_count

  ! The tree as indented text, a line for each body; "" where there is no robot.
  function describe(self) result(words)
    class(model_t), intent(in) :: self
    character(len=:), allocatable :: words
    character(kind=c_char), allocatable, target :: letters(:)
    integer(c_size_t) :: needed
    words = ''
    if (.not. self%handle%alive()) return
    if (tenon_model_describe(self%handle%pointer(), text_size=0_c_size_t, needed=needed) < 0) return
    allocate (letters(needed))
    if (tenon_model_describe(self%handle%pointer(), letters, needed) < 0) return
    words = text(c_loc(letters))
  end function describe

end module tenon_models
