# What Pinocchio's exported targets ask of code that uses it, from TENON_PEERS_PREFIX.
add_library(tenon_pinocchio INTERFACE)
target_include_directories(tenon_pinocchio SYSTEM INTERFACE
  ${TENON_PEERS_PREFIX}/include ${TENON_PEERS_PREFIX}/include/eigen3)
target_compile_definitions(tenon_pinocchio INTERFACE
  BOOST_MPL_LIMIT_LIST_SIZE=30 BOOST_MPL_LIMIT_VECTOR_SIZE=30 BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
  BOOST_FUSION_INVOKE_MAX_ARITY=12 PINOCCHIO_DISABLE_UNSUPPORTED_WARNINGS)
