// acados' interface to functions in C (its models of dyn_ext_fun_type 'generic') for what tenonx_generate_c writes.
//
// Such a function is int f(void **in, void **out, void *params). acados hands over vectors and matrices of BLASFEO, whose
// layout depends on how BLASFEO was built; so the text includes the headers of the build that it is compiled for, which
// every user of acados has, and copies no layout.
#pragma once

#include <tenon.h>

#include <string>
#include <vector>

namespace client {

struct AcadosSettings {
  std::vector<std::string> passive;  // joints without a motor; that of a free base never has one
  double step = 0;                   // s, of discrete dynamics; 0: none are written
};

// Functions for acados by the name of the generated function, to be put behind its text, which has derivatives:
//
//   implicit dynamics    [qdot - rate(q, v); vdot - qdd(q, v, tau)] = 0, or with inverse dynamics [...; tau(q, v, vdot) - tau]
//   discrete dynamics    v' = v + h qdd(q, v, tau), q' = q + h v', where positions move by their velocities alone
//
// with x = [q; v] and u the forces of joints that have a motor; where the text has second derivatives, Hessians of these times
// multipliers too. Throws where the algorithm gives neither.
std::string acados_functions(const tenon_model* model, const std::string& generated,
                             const AcadosSettings& settings);

}  // namespace client
