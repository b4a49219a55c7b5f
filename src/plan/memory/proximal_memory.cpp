#include "plan/memory/proximal_memory.hpp"

#include <cstddef>

namespace tenon {

ProximalScratch::ProximalScratch(int rows) {
  const std::size_t m = static_cast<std::size_t>(rows);
  for (std::vector<double>* x : {&f, &r, &start, &inv_mu, &best, &unit, &residual, &unreachable})
    x->assign(m, 0.0);
  steps.assign(m * proximal_window, 0.0);
  images.assign(m * proximal_window, 0.0);
}

}  // namespace tenon
