// Memory of the damped inverse of the Delassus matrix, sized once.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/choice/what_automatic_takes.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"
#include "tenon/delassus.hpp"

namespace tenon {

struct DampedInverseMemory {
  // constraints may be null. lanes_gain: see plan/choice/what_automatic_takes.hpp.
  DampedInverseMemory(const ModelData& m, const ConstraintData* constraints, double lanes_gain)
      : caba(m, constraints),
        osimf(m, constraints),
        automatic(damped_inverse_method(m, constraints, caba.data, lanes_gain)) {
    const std::size_t stride = index(whole_packs(constraints ? constraints->row_count : 0));
    for (std::vector<double>* v : {&damping, &inv_d, &b, &x}) v->assign(stride, 0.0);
    for (std::vector<double>* v : {&factor, &inverse}) v->assign(stride * stride, 0.0);
    scratch.assign(stride * (stride + 8), 0.0);
  }
  std::size_t bytes() const { return bytes_of(caba, osimf, damping, factor, inv_d, inverse, scratch, b, x); }

  // The method of the last factor_damped_delassus, for apply; automatic: none.
  DampedInverseMethod factored = DampedInverseMethod::automatic;
  bool on_folded = false;  // the folded form holds the factor
  bool formed = false;     // caba_osim has formed it, in order to detect redundant rows
  bool dependent = false;  // redundant rows, or rows that meet inside a cluster: pv_osimr took over
  CabaOsimMemory<double> caba;
  PvOsimfMemory<double> osimf;
  const DampedInverseMethod automatic;
  std::vector<double> damping;        // E, rows in the kernels' order
  std::vector<double> factor, inv_d;  // L D L^T of the damped matrix (kernels/constrained/dense_ldl.hpp)
  std::vector<double> inverse;        // column-major, stride whole_packs(rows)
  std::vector<double> scratch;        // the same, and eight vectors
  std::vector<double> b, x;           // vectors, whole packs
};

}  // namespace tenon
