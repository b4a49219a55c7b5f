! What all types of the layer need: objects of the library and who frees them, errors, text.
module tenon_objects
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use tenon_raw
  implicit none
  private

  integer, parameter, public :: dp = c_double
  integer, parameter, public :: MODEL_KIND = 1, CONSTRAINTS_KIND = 2, WORKSPACE_KIND = 3, BATCH_KIND = 4
  integer, parameter, public :: MESSAGE_SIZE = 1024
  character(len=*), parameter :: KIND_NAMES(4) = [character(len=11) :: 'model', 'constraints', 'workspace', 'batch']

  ! Where an object of the library is. A place is never unmapped, only used again under another generation, so that who
  ! still holds it after the object was destroyed can tell.
  type :: place
    type(c_ptr) :: pointer = c_null_ptr
    integer :: generation = 1
    type(place), pointer :: next => null()
  end type place

  type(place), pointer, save :: spare => null()

  ! A hold on an object. Copies are of the same object; the first of them that goes destroys it for all.
  type, public :: handle
    private
    type(place), pointer :: there => null()
    integer :: generation = 0
    integer :: kind = 0
  contains
    procedure :: hold
    procedure :: alive
    procedure :: pointer => pointer_of
    procedure :: free
    final :: forget
  end type handle

  ! The first fault of the arguments of a call.
  type, public :: fault
    integer(c_int32_t) :: code = TENON_OK
    character(len=200) :: message = ''
  contains
    procedure :: living
    procedure :: length
    procedure :: shape_of
    procedure :: other
  end type fault

  public :: report, told, text, c_text, place_number

contains

  ! Takes over an object that the library made.
  subroutine hold(self, pointer, kind)
    class(handle), intent(inout) :: self
    type(c_ptr), intent(in) :: pointer
    integer, intent(in) :: kind
    type(place), pointer :: found
    call self%free()
    !$omp critical (tenon_spare_places)
    found => spare
    if (associated(found)) spare => found%next
    !$omp end critical (tenon_spare_places)
    if (.not. associated(found)) allocate (found)
    found%pointer = pointer
    self%there => found
    self%generation = found%generation
    self%kind = kind
  end subroutine hold

  pure function alive(self) result(is)
    class(handle), intent(in) :: self
    logical :: is
    is = .false.
    if (associated(self%there)) is = self%there%generation == self%generation
  end function alive

  ! For the functions of tenon_raw; NULL where there is none any more.
  function pointer_of(self) result(pointer)
    class(handle), intent(in) :: self
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (self%alive()) pointer = self%there%pointer
  end function pointer_of

  ! Destroys the object now; does nothing where there is none.
  subroutine free(self)
    class(handle), intent(inout) :: self
    if (self%alive()) then
      select case (self%kind)
      case (MODEL_KIND)
        call tenon_model_destroy(self%there%pointer)
      case (CONSTRAINTS_KIND)
        call tenon_constraints_destroy(self%there%pointer)
      case (WORKSPACE_KIND)
        call tenon_workspace_destroy(self%there%pointer)
      case (BATCH_KIND)
        call tenon_batch_destroy(self%there%pointer)
      end select
      self%there%pointer = c_null_ptr
      self%there%generation = self%there%generation + 1
      !$omp critical (tenon_spare_places)
      self%there%next => spare
      spare => self%there
      !$omp end critical (tenon_spare_places)
    end if
    nullify (self%there)
  end subroutine free

  impure elemental subroutine forget(self)
    type(handle), intent(inout) :: self
    call self%free()
  end subroutine forget

  ! ---- errors

  ! As the statements of the language do it: stat takes the status and errmsg the message; without stat a failure ends
  ! the program.
  subroutine report(code, message, stat, errmsg)
    integer(c_int32_t), intent(in) :: code
    character(len=*), intent(in) :: message
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (present(stat)) stat = int(code)
    if (code >= 0) return
    if (present(errmsg)) errmsg = text(tenon_status_string(code))//': '//message
    if (present(stat)) return
    write (error_unit, '(a, a, a)') text(tenon_status_string(code)), ': ', message
    error stop 1
  end subroutine report

  ! Whether there is a fault, which is then reported.
  function told(found, stat, errmsg) result(is)
    type(fault), intent(in) :: found
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    logical :: is
    is = found%code < 0
    if (is) call report(found%code, trim(found%message), stat, errmsg)
  end function told

  ! The object is there.
  subroutine living(self, object, kind)
    class(fault), intent(inout) :: self
    type(handle), intent(in) :: object
    integer, intent(in) :: kind
    if (object%alive() .or. self%code < 0) return
    call self%other(TENON_INVALID_ARGUMENT, 'this '//trim(KIND_NAMES(kind))//' was not made, or was destroyed')
  end subroutine living

  ! An array has as many numbers as are needed.
  subroutine length(self, name, given, needed)
    class(fault), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer, intent(in) :: given, needed
    character(len=120) :: message
    if (given == needed .or. self%code < 0) return
    write (message, '(a, a, i0, a, i0, a)') name, ': ', given, ' numbers; ', needed, ' are needed'
    call self%other(TENON_WRONG_SIZE, message)
  end subroutine length

  ! A matrix has as many rows and columns as are needed.
  subroutine shape_of(self, name, given, rows, columns)
    class(fault), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer, intent(in) :: given(2), rows, columns
    character(len=120) :: message
    if (all(given == [rows, columns]) .or. self%code < 0) return
    write (message, '(a, a, i0, a, i0, a, i0, a, i0, a)') name, ': ', given(1), ' x ', given(2), '; ', rows, ' x ', &
      columns, ' are needed'
    call self%other(TENON_WRONG_SIZE, message)
  end subroutine shape_of

  subroutine other(self, code, message)
    class(fault), intent(inout) :: self
    integer(c_int32_t), intent(in) :: code
    character(len=*), intent(in) :: message
    if (self%code < 0) return
    self%code = code
    self%message = message
  end subroutine other

  ! ---- text and numbers

  function text(pointer) result(words)
    type(c_ptr), intent(in) :: pointer
    character(len=:), allocatable :: words
    character(kind=c_char), pointer :: letters(:)
    integer :: size_, i
    words = ''
    if (.not. c_associated(pointer)) return
    call c_f_pointer(pointer, letters, [huge(0)])
    size_ = 0
    do while (letters(size_ + 1) /= c_null_char)
      size_ = size_ + 1
    end do
    deallocate (words)
    allocate (character(len=size_) :: words)
    do i = 1, size_
      words(i:i) = letters(i)
    end do
  end function text

  function c_text(words) result(ended)
    character(len=*), intent(in) :: words
    character(kind=c_char, len=:), allocatable :: ended
    ended = trim(words)//c_null_char
  end function c_text

  ! A number that counts from 1, of an index of the library; 0: none.
  pure function place_number(index) result(number)
    integer(c_int32_t), intent(in) :: index
    integer :: number
    number = max(int(index), -1) + 1
  end function place_number

end module tenon_objects
