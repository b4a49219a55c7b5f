# Cross-compiles for 64-bit Arm with Debian's g++-aarch64-linux-gnu; what is built runs under qemu-aarch64.
# packaging/test_arm64.sh uses it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)

# Packages of headers alone (spdlog, CLI11, nlohmann-json) serve any processor, so this machine's are taken.
# /usr/include comes last, so that the C library's headers are those of the target; CMake then knows it as a folder that
# the compiler searches by itself, and does not name it again in front of them.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/cmake)
set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include")

# The C++ runtime in every program, so that the emulator has to find the C library only.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libstdc++ -static-libgcc")
find_program(TENON_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(TENON_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${TENON_QEMU} -L /usr/aarch64-linux-gnu)
endif()
