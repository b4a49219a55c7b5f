/* tenon.h alone, as C99 and as C++17: see CMakeLists.txt. */
#include "tenonx.h"

/* The sizes of structs are part of the ABI. */
#define SAME_SIZE(type, size) typedef char type##_has_changed[sizeof(type) == (size) ? 1 : -1]
SAME_SIZE(tenon_solve_options, 56);
SAME_SIZE(tenon_solve_report, 40);
SAME_SIZE(tenonx_operation_counts, 72);
SAME_SIZE(tenon_cluster_info, 72);
SAME_SIZE(tenon_loop_state, 32);
SAME_SIZE(tenon_workspace_options, 32);
SAME_SIZE(tenon_projection_options, 16);
SAME_SIZE(tenon_delassus_options, 8);
SAME_SIZE(tenon_closing_options, 8);
SAME_SIZE(tenon_assembly_options, 8);
#if UINTPTR_MAX == UINT64_MAX
SAME_SIZE(tenon_loop_info, 32);
SAME_SIZE(tenon_model_options, 80);
SAME_SIZE(tenon_damped_options, 32);
SAME_SIZE(tenon_joint_options, 192);
SAME_SIZE(tenon_loop_options, 160);
SAME_SIZE(tenon_constraint_options, 72);
SAME_SIZE(tenon_link_info, 112);
SAME_SIZE(tenon_joint_info, 200);
SAME_SIZE(tenon_constraint_info, 56);
SAME_SIZE(tenon_batch_options, 20);
SAME_SIZE(tenon_batch_array, 64);
SAME_SIZE(tenon_rollout_options, 88);
SAME_SIZE(tenon_batch_parameters, 112);
SAME_SIZE(tenonx_trace_options, 40);
#endif

int32_t tenon_header_test(void);
int32_t tenon_header_test(void) {
  return TENON_VERSION;
}
