// The memory of BranchLanes for products with derivatives (kernels/branches/product_branches.hpp), made when one is asked for.
#include "plan/branches/branch_lanes.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

template <class T>
void BranchLanes::cut_products(PartMemory<T>& memory, TreePart<T>& part) {
  ProductBodies<T>& d = part.products;
  std::vector<Field<T>> fields;
  for (T** of_bodies : {&d.moved, &d.dv_body, &d.da_body, &d.force, &d.moment, &part.turning, &part.theta})
    fields.push_back({of_bodies, 6 * (index(part.model.node_count) + 1), 6});
  memory.cut(fields);
}

void BranchLanes::make_products() {
  if (!joints_alone() || has_products_) return;
  cut_products(trunk_memory_, data_.trunk);
  for (std::size_t k = 0; k < bundles_.size(); ++k) {
    Bundle<N>& limbs = bundles_[k];
    cut_products(memory_[k], limbs);
    const std::size_t n = index(limbs.model.node_count), rows = index(whole_packs(limbs.rows.row_count));
    std::vector<Field<N>> fields;
    for (int i = 0; i < 3; ++i)
      fields.push_back({&limbs.given[i], n}), fields.push_back({&limbs.found[i], n});
    for (N** of_rows : {&limbs.row_lambda, &limbs.row_b, &limbs.row_ds}) fields.push_back({of_rows, rows});
    memory_[k].cut(fields);
  }
  // What goes between limbs and their parents has places now.
  for (std::size_t k = 0; k < bundles_.size(); ++k) {
    BundleMemory& memory = memory_[k];
    for (std::size_t l = 0; l < lanes; ++l)
      memory.parents[l] = parent_at(m_.nodes[body_in(memory, 1, static_cast<int>(l))].parent);
    for (std::int32_t j = 0; j < bundles_[k].sibling_count; ++j)
      memory.siblings[j].parent = memory.parents[memory.siblings[j].lanes[0]];
  }
  has_products_ = true;
}

}  // namespace tenon
