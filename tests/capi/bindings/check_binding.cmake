# The headers, unchanged, as a generator of bindings reads them after the C preprocessor: what it makes of them loads the
# library and moves a robot.
#   cmake -DKIND=cffi|luajit|bindgen -DPROGRAM=... -DCC=... -DINCLUDE=... -DLIBRARY=... -DROBOT=... -DFOLDER=... -P ...
# PROGRAM: a Python with cffi, luajit, bindgen (RUSTC too). "SKIPPED: ..." where it is not to be had.
cmake_minimum_required(VERSION 3.25)
if(NOT PROGRAM)
  message("SKIPPED: ${KIND} is not installed; run packaging/setup.sh test")
  return()
endif()
# These tools know the types of stddef.h and stdint.h, and not what a C library makes of them.
file(MAKE_DIRECTORY ${FOLDER}/none)
file(WRITE ${FOLDER}/none/stddef.h "")
file(WRITE ${FOLDER}/none/stdint.h "")
set(types -nostdinc -I ${FOLDER}/none)
if(KIND STREQUAL "bindgen")
  set(types "")
endif()
execute_process(COMMAND ${CC} -E -P ${types} -DTENON_STATIC -I ${INCLUDE} ${INCLUDE}/tenonx.h
                OUTPUT_FILE ${FOLDER}/${KIND}.h COMMAND_ERROR_IS_FATAL ANY)

if(KIND STREQUAL "cffi")
  execute_process(COMMAND ${PROGRAM} -c "import cffi" RESULT_VARIABLE missing ERROR_QUIET)
  if(missing)
    message("SKIPPED: ${PROGRAM} has no cffi; run packaging/setup.sh test")
    return()
  endif()
endif()
if(KIND STREQUAL "bindgen")
  execute_process(COMMAND ${PROGRAM} --allowlist-function "tenonx?_.*" --allowlist-type "tenonx?_.*"
                          ${FOLDER}/bindgen.h -o ${FOLDER}/tenon.rs
                  COMMAND_ERROR_IS_FATAL ANY)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/bindgen_test.rs ${FOLDER}/bindgen_test.rs COPYONLY)
  get_filename_component(folder ${LIBRARY} DIRECTORY)
  execute_process(COMMAND ${RUSTC} --edition 2021 -L ${folder} -C link-arg=-Wl,-rpath,${folder} ${FOLDER}/bindgen_test.rs
                          -o ${FOLDER}/bindgen_test COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${FOLDER}/bindgen_test ${ROBOT} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
else()
  set(script cffi_test.py)
  if(KIND STREQUAL "luajit")
    set(script luajit_test.lua)
  endif()
  execute_process(COMMAND ${PROGRAM} ${CMAKE_CURRENT_LIST_DIR}/${script} ${FOLDER}/${KIND}.h ${LIBRARY} ${ROBOT}
                  OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
endif()
# All of them move the robot the same way.
if(NOT said MATCHES "7 joints, qdd\\[0\\] = -?[0-9.]+")
  message(FATAL_ERROR "${KIND} said: ${said}")
endif()
message("${said}")
