# Every symbol that objects compiled for one instruction set define carries the name of the set. A weak one that did not
# would be merged with the copy of another object, and the program would run whichever the linker kept.
#   cmake -DNM=... -DISA=isa_... "-DOBJECTS=a.o|b.o" -P check_instruction_sets.cmake
cmake_minimum_required(VERSION 3.25)
string(REPLACE "|" ";" objects "${OBJECTS}")
set(count 0)
foreach(object IN LISTS objects)
  execute_process(COMMAND ${NM} --defined-only --extern-only ${object} OUTPUT_VARIABLE listing
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${listing}")
  foreach(line IN LISTS lines)
    math(EXPR count "${count} + 1")
    # The personality routine is a pointer that every object has alike.
    if(NOT line MATCHES "${ISA}" AND NOT line MATCHES "DW\\.ref\\.__gxx_personality_v0")
      message(SEND_ERROR "${object} defines '${line}', which is not of ${ISA}: put it into that namespace "
                         "(spatial/isa.hpp)")
    endif()
  endforeach()
endforeach()
if(count LESS 4)
  message(SEND_ERROR "only ${count} symbols: are these the right objects?")
endif()
message(STATUS "${count} symbols, all of ${ISA}")
