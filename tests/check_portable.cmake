# What only some compilers know stands in a few files behind a question for the compiler, and nowhere else in src/ and capi/.
# ROOT: the repository.
cmake_minimum_required(VERSION 3.25)
set(guarded src/batch/crew.cpp src/scalar/printf.hpp src/spatial/changes.hpp src/spatial/finite_numbers.hpp src/spatial/isa.hpp src/spatial/lanes.hpp src/spatial/pack.hpp src/plan/dispatch.cpp src/plan/x86_level.hpp
            capi/cli/client.hpp
            capi/cli/progress.cpp)
set(special "__attribute__|__builtin_|__restrict|__asm|vector_size|ssize_t|alloca\\(|__int128|<unistd\\.h>|<sys/")
set(errors "")
foreach(top src capi)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${top}/*.[ch]pp)
  list(REMOVE_ITEM files src/tenonx/c_writer.cpp src/tenonx/parts.cpp)  # they write C for gcc and clang
  foreach(file IN LISTS files)
    file(STRINGS ${ROOT}/${file} lines REGEX "${special}")
    if(lines AND NOT file IN_LIST guarded)
      string(APPEND errors "${file}: ${lines}\n")
    endif()
  endforeach()
endforeach()
foreach(file IN LISTS guarded)
  file(STRINGS ${ROOT}/${file} guards REGEX "^#if.*(__GNUC__|TENON_DISPATCH_X86|_WIN32)")
  file(STRINGS ${ROOT}/${file} lines REGEX "${special}")
  if(lines AND NOT guards)
    string(APPEND errors "${file} asks no compiler before: ${lines}\n")
  endif()
endforeach()
if(errors)
  message(FATAL_ERROR "only some compilers know this; put it behind a macro in a guarded file:\n${errors}")
endif()
