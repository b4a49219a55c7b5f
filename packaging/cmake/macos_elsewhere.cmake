# CMake asks the Mac on which it runs whether linkers know rpaths. On another system nobody answers; lld knows them.
set(CMAKE_SHARED_LIBRARY_RUNTIME_C_FLAG -Wl,-rpath,)
set(CMAKE_SHARED_LIBRARY_RUNTIME_CXX_FLAG -Wl,-rpath,)
set(CMAKE_EXECUTABLE_RUNTIME_C_FLAG -Wl,-rpath,)
set(CMAKE_EXECUTABLE_RUNTIME_CXX_FLAG -Wl,-rpath,)
