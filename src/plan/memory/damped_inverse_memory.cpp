#include "plan/memory/damped_inverse_memory.hpp"

#include "spatial/lanes.hpp"

namespace tenon {

DampedInverseMemory::DampedInverseMemory(const ModelData& m, const ConstraintData* constraints)
    : caba(m, constraints), osimf(m, constraints) {
  const int rows = constraints ? constraints->row_count : 0;
  const std::size_t stride = static_cast<std::size_t>(whole_packs(rows));
  for (std::vector<double>* v : {&damping, &inv_d, &b, &x}) v->assign(stride, 0.0);
  for (std::vector<double>* v : {&factor, &inverse, &scratch}) v->assign(stride * (stride + 4), 0.0);
}

std::size_t DampedInverseMemory::bytes() const {
  std::size_t numbers = 0;
  for (const std::vector<double>* v : {&damping, &inv_d, &b, &x, &factor, &inverse, &scratch})
    numbers += v->size();
  return caba.bytes() + osimf.bytes() + numbers * sizeof(double);
}

}  // namespace tenon
