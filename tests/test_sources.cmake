# How sources of tests are compiled: quickly, for the compiler takes longer for most of them than they run.
include_guard()

# tenon_run_once(target): not optimised, which is where zig looks for undefined behaviour without being asked.
function(tenon_run_once target)
  if(NOT MSVC AND NOT TENON_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)
  endif()
endfunction()
