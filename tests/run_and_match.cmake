# Runs a program, which must end with exit code 0 and print what a regular expression matches. (PASS_REGULAR_EXPRESSION of
# ctest takes any exit code.)
#   cmake -DWORDS=expression "-DCOMMAND=program;argument;..." -P run_and_match.cmake
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE output RESULT_VARIABLE code ECHO_OUTPUT_VARIABLE)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${COMMAND} ended with ${code}")
endif()
if(NOT output MATCHES "${WORDS}")
  message(FATAL_ERROR "nothing of what it printed matches ${WORDS}")
endif()
