// The memory of BranchLanes for products with derivatives (kernels/branches/product_branches.hpp), made when one is asked for.
#include <algorithm>

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
  if (takes_matrices_) make_matrices();
  has_products_ = true;
}

void BranchLanes::make_matrices() {
  StarResponses& star = data_.star;
  star.nv = m_.nv, star.rows = 0;
  for (const Bundle<N>& limbs : bundles_)
    for (std::int32_t place = 0; place < branch_width * limbs.rows.row_count; ++place)
      star.rows = std::max(star.rows, limbs.row_of[place] + 1);
  star.row_ld = whole_packs(star.rows), star.ld = whole_eights(m_.nv + star.row_ld);
  const std::size_t ld = index(star.ld), row_ld = index(star.row_ld);
  double* none = nullptr;
  trunk_memory_.cut<double>({{&none, ld},
                             {&star.own, (index(m_.nv) + 3) * ld},
                             {&star.of_root, 6 * ld},
                             {&star.of_rows, index(star.row_ld) * ld},
                             {&star.root_J, 6 * row_ld},
                             {&star.root_forces, 6 * row_ld},
                             {&star.root_right, 12 * row_ld},
                             {&star.root_columns, 12 * ld}});
  star.none = none;
  for (std::size_t k = 0; k < bundles_.size(); ++k) {
    BundleMemory& memory = memory_[k];
    LimbMatrices<N>& x = *(bundles_[k].matrices = memory.keep(std::vector<LimbMatrices<N>>(1)));
    const std::size_t nodes = memory.nodes.size(), n = nodes - 1, spaced = 6 * (nodes + 3);
    x.line = line_of_block(static_cast<std::int32_t>(n));
    x.w = bundles_[k].w;
    const std::size_t block = index(x.line) * index(x.line);
    std::vector<Field<N>> fields = {{&x.w.R0, 9 * nodes}, {&x.w.p0, 3 * nodes},       {&x.w.v, 6 * nodes},
                                    {&x.w.a, 6 * nodes},  {&x.w.f, 6 * nodes},        {&x.w.IA, 21 * nodes},
                                    {&x.w.U, 6 * nodes},  {&x.motions.B, 12 * nodes}, {&x.tau, nodes},
                                    {&x.N_k, 3 * nodes}};
    for (N** of_joints : {&x.motions.psi_dot, &x.motions.psi_ddot, &x.motions.S_rate})
      fields.push_back({of_joints, 6 * nodes});
    for (N** of_limb : {&x.mass, &x.by_q, &x.by_v, &x.factor, &x.inverse}) fields.push_back({of_limb, block});
    for (N** of_root : {&x.F, &x.F_q, &x.F_v, &x.root_q, &x.root_v, &x.E, &x.response})
      fields.push_back({of_root, spaced});
    const std::size_t rows = index(bundles_[k].rows.row_count),
                      of_rows = rows > 0 ? index(room_for_rows(bundles_[k].rows.row_count)) * n : 0;
    for (N** of_coordinates : {&x.J, &x.W, &x.G_q, &x.G_v}) fields.push_back({of_coordinates, of_rows});
    for (N** of_row : {&x.K, &x.root_J, &x.root_G_q, &x.root_G_v}) fields.push_back({of_row, 6 * rows});
    std::vector<Field<double>> of_both = {{&x.row_right, 8 * of_rows},
                                          {&x.numbers, 2 * lanes * n * (16 + index(x.line))}};
    for (double** of_limb : {&x.factor_of_both, &x.f}) of_both.push_back({of_limb, 8 * block});
    for (double** of_root : {&x.E_of_both, &x.right, &x.below}) of_both.push_back({of_root, 8 * spaced});
    memory.cut(of_both);
    memory.cut(fields);
  }
}

}  // namespace tenon
