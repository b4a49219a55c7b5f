// Matrices of derivatives row by row, as blocks of larger ones, written and added to: against those column by column,
// whose values other tests check.
#include <cmath>
#include <functional>

#include "support.hpp"

using namespace tenon_test;

namespace {

// A matrix, a gap behind each of its lines; of a batch one of each state behind the other.
struct Block {
  Block(std::size_t rows_, std::size_t columns_, bool row_major_, std::size_t gap, double start,
        std::size_t states = 1)
      : rows(rows_), columns(columns_), row_major(row_major_), apart((row_major ? columns : rows) + gap) {
    x.assign(states * each(), start);
  }
  std::size_t each() const { return apart * (row_major ? rows : columns); }
  double at(std::size_t i, std::size_t k, std::size_t state = 0) const {
    return x[state * each() + (row_major ? i * apart + k : k * apart + i)];
  }
  // The numbers of the gaps.
  bool keeps(double start) const {
    for (std::size_t e = 0; e < x.size(); ++e)
      if (e % apart >= (row_major ? columns : rows) && x[e] != start) return false;
    return true;
  }
  int32_t ld() const { return static_cast<int32_t>(apart); }
  tenon_batch_array array() {
    return strided(x, rows * columns, 1, static_cast<ptrdiff_t>(each()), static_cast<ptrdiff_t>(apart));
  }

  std::size_t rows, columns;
  bool row_major;
  std::size_t apart;
  std::vector<double> x;
};
#define BLOCK(block) (block).x.data(), (block).x.size(), (block).ld()

auto layout(bool row_major, bool accumulate) {
  return options_of(tenon_derivative_options_init,
                    [&](auto& o) { o.row_major = row_major, o.accumulate = accumulate; });
}

struct Size {
  std::size_t rows, columns;
};
using Call = std::function<tenon_status(const tenon_derivative_options*, std::vector<Block>&)>;

std::vector<Block> blocks(const std::vector<Size>& sizes, bool row_major, std::size_t gap, double start,
                          std::size_t states = 1) {
  std::vector<Block> all;
  for (const Size& s : sizes) all.emplace_back(s.rows, s.columns, row_major, gap, start, states);
  return all;
}

// The numbers of a call column by column, without gaps, and row by row.
void expect_same(const std::vector<Size>& sizes, const Call& call, const char* message,
                 std::size_t states = 1) {
  for (const bool accumulate : {false, true})
    for (const std::size_t gap : {std::size_t{0}, std::size_t{3}}) {
      SCOPED_TRACE(testing::Message() << "adds " << accumulate << ", gap " << gap);
      std::vector<Block> expected = blocks(sizes, false, 0, 0.5, states),
                         found = blocks(sizes, true, gap, 0.5, states);
      ASSERT_EQ(call(layout(false, accumulate), expected), TENON_OK) << message;
      ASSERT_EQ(call(layout(true, accumulate), found), TENON_OK) << message;
      for (std::size_t l = 0; l < sizes.size(); ++l) {
        SCOPED_TRACE(l);
        EXPECT_TRUE(found[l].keeps(0.5));
        for (std::size_t s = 0; s < states; ++s)
          for (std::size_t i = 0; i < sizes[l].rows; ++i)
            for (std::size_t k = 0; k < sizes[l].columns; ++k)
              ASSERT_EQ(found[l].at(i, k, s), expected[l].at(i, k, s)) << s << " " << i << " " << k;
      }
    }
}

class RowMajor : public ::testing::Test {
 protected:
  Model model = load("go1", TENON_BASE_FLOATING);
  Constraints set = welds(model, {"FR_calf", "RL_calf"});
  Workspace w = workspace(model, set);
  State s{model, w.get()};
  std::size_t nq = s.q.size(), nv = s.v.size(), m = 12;
  std::vector<double> desired = std::vector<double>(m, 0.5), weight = std::vector<double>(m, 0.25);
  const double *q = s.q.data(), *v = s.v.data(), *x = s.tau.data(), *k = desired.data(), *y = weight.data();
  const std::vector<Size> squares = std::vector<Size>(3, Size{nv, nv});

  void same(const std::vector<Size>& sizes, const Call& call) {
    expect_same(sizes, call, tenon_workspace_message(w.get()));
  }
};

TEST_F(RowMajor, FirstDerivatives) {
  same(squares, [&](const tenon_derivative_options* how, std::vector<Block>& b) {
    return tenon_inverse_dynamics_derivatives(w.get(), how, q, nq, v, nv, x, nv, nullptr, 0, nullptr, 0,
                                              BLOCK(b[0]), BLOCK(b[1]), BLOCK(b[2]));
  });
  same(squares, [&](const tenon_derivative_options* how, std::vector<Block>& b) {
    return tenon_forward_dynamics_derivatives(w.get(), how, q, nq, v, nv, x, nv, nullptr, 0, nullptr, 0,
                                              BLOCK(b[0]), BLOCK(b[1]), BLOCK(b[2]));
  });
  same({{nv, nv}, {nv, nv}, {nv, nv}, {nv, m}},
       [&](const tenon_derivative_options* how, std::vector<Block>& b) {
         return tenon_constrained_dynamics_derivatives(w.get(), how, q, nq, v, nv, x, nv, nullptr, 0, k, m,
                                                       nullptr, 0, nullptr, 0, BLOCK(b[0]), BLOCK(b[1]),
                                                       BLOCK(b[2]), BLOCK(b[3]));
       });
  same({{nv + m, nv}, {nv + m, nv}, {nv + m, nv}, {nv + m, m}},
       [&](const tenon_derivative_options* how, std::vector<Block>& b) {
         return tenon_constrained_solution_derivatives(w.get(), how, q, nq, v, nv, x, nv, nullptr, 0, k, m,
                                                       nullptr, 0, nullptr, 0, BLOCK(b[0]), BLOCK(b[1]),
                                                       BLOCK(b[2]), BLOCK(b[3]));
       });
  same({{nv, nv}, {nv, nv}, {m, nv}, {m, nv}},
       [&](const tenon_derivative_options* how, std::vector<Block>& b) {
         return tenon_impact_derivatives(w.get(), how, nullptr, 0, q, nq, v, nv, nullptr, 0, nullptr, 0,
                                         BLOCK(b[0]), BLOCK(b[1]), BLOCK(b[2]), BLOCK(b[3]));
       });
}

TEST_F(RowMajor, SecondDerivatives) {
  const std::vector<Size> sizes(4, Size{nv, nv});
  same(sizes, [&](const tenon_derivative_options* how, std::vector<Block>& b) {
    return tenon_inverse_dynamics_hessian(w.get(), how, q, nq, v, nv, x, nv, nullptr, 0, x, nv, BLOCK(b[0]),
                                          BLOCK(b[1]), BLOCK(b[2]), BLOCK(b[3]));
  });
  same(sizes, [&](const tenon_derivative_options* how, std::vector<Block>& b) {
    return tenon_forward_dynamics_hessian(w.get(), how, q, nq, v, nv, x, nv, nullptr, 0, x, nv, BLOCK(b[0]),
                                          BLOCK(b[1]), BLOCK(b[2]), BLOCK(b[3]));
  });
  same({{nv, nv}, {nv, nv}, {nv, nv}, {nv, nv}, {nv, m}},
       [&](const tenon_derivative_options* how, std::vector<Block>& b) {
         return tenon_constrained_dynamics_hessian(w.get(), how, q, nq, v, nv, x, nv, nullptr, 0, k, m, x, nv,
                                                   y, m, BLOCK(b[0]), BLOCK(b[1]), BLOCK(b[2]), BLOCK(b[3]),
                                                   BLOCK(b[4]));
       });
}

TEST_F(RowMajor, DerivativesOfKinematics) {
  ASSERT_EQ(tenon_kinematics(w.get(), q, nq, v, nv, x, nv), TENON_OK);
  const std::vector<double> point = {0.1, -0.2, 0.3};
  same({{6, nv}, {6, nv}}, [&](const tenon_derivative_options* how, std::vector<Block>& b) {
    return tenon_point_velocity_derivatives(w.get(), how, 3, point.data(), 3, TENON_AXES_LINK, BLOCK(b[0]),
                                            BLOCK(b[1]));
  });
  same({{6, nv}, {6, nv}, {6, nv}}, [&](const tenon_derivative_options* how, std::vector<Block>& b) {
    return tenon_point_acceleration_derivatives(w.get(), how, 3, point.data(), 3, TENON_AXES_WORLD,
                                                BLOCK(b[0]), BLOCK(b[1]), BLOCK(b[2]));
  });
  same({{3, nv}, {3, nv}, {3, nv}}, [&](const tenon_derivative_options* how, std::vector<Block>& b) {
    return tenon_center_of_mass_derivatives(w.get(), how, nullptr, 0, BLOCK(b[0]), BLOCK(b[1]), BLOCK(b[2]));
  });
  same({{6, nv}, {6, nv}, {6, nv}, {6, nv}}, [&](const tenon_derivative_options* how, std::vector<Block>& b) {
    return tenon_centroidal_momentum_derivatives(w.get(), how, nullptr, 0, BLOCK(b[0]), BLOCK(b[1]),
                                                 BLOCK(b[2]), BLOCK(b[3]));
  });
  same({{nv, nv}, {nv, 3}}, [&](const tenon_derivative_options* how, std::vector<Block>& b) {
    return tenon_gravity_force_derivatives(w.get(), how, q, nq, nullptr, 0, BLOCK(b[0]), BLOCK(b[1]));
  });
}

TEST_F(RowMajor, DerivativesByParameters) {
  const std::size_t pi = 10 * static_cast<std::size_t>(tenon_model_link_count(model.get()));
  same({{nv + m, pi}, {nv + m, nv}, {nv + m, nv}, {nv + m, nv}},
       [&](const tenon_derivative_options* how, std::vector<Block>& b) {
         return tenon_constrained_dynamics_parameter_derivatives(w.get(), how, q, nq, v, nv, x, nv, nullptr,
                                                                 0, k, m, nullptr, 0, nullptr, 0, BLOCK(b[0]),
                                                                 BLOCK(b[1]), BLOCK(b[2]), BLOCK(b[3]));
       });
}

TEST_F(RowMajor, DerivativesByLoads) {
  const std::vector<int32_t> links = {5, 2, 9};
  same({{nv + m, 18}, {nv + m, 3}}, [&](const tenon_derivative_options* how, std::vector<Block>& b) {
    return tenon_constrained_dynamics_load_derivatives(w.get(), how, links.data(), links.size(), q, nq, v, nv,
                                                       x, nv, nullptr, 0, k, m, nullptr, 0, nullptr, 0,
                                                       BLOCK(b[0]), BLOCK(b[1]));
  });
}

// Loops closed by coordinates have a path of their own, and one coordinate a matrix of one number.
TEST(RowMajorOf, EmbeddedLoops) {
  const Model model = load("four_bar");
  const Workspace w = workspace(model);
  for (const int32_t coordinates : {TENON_COORDINATES_SPANNING, TENON_COORDINATES_INDEPENDENT}) {
    ASSERT_EQ(tenon_workspace_set_coordinates(w.get(), TENON_COORDINATES_SPANNING, coordinates), TENON_OK);
    const std::size_t n = coordinates == TENON_COORDINATES_SPANNING ? 3 : 1;
    std::vector<double> q(3), v(n), x(n, 0.25);
    ASSERT_EQ(tenon_workspace_guess(w.get(), q.data(), 3), TENON_OK);
    const std::vector<Size> sizes(3, Size{n, n});
    for (const auto function : {tenon_inverse_dynamics_derivatives, tenon_forward_dynamics_derivatives})
      expect_same(
          sizes,
          [&](const tenon_derivative_options* how, std::vector<Block>& b) {
            return function(w.get(), how, q.data(), 3, v.data(), n, x.data(), n, nullptr, 0, nullptr, 0,
                            BLOCK(b[0]), BLOCK(b[1]), BLOCK(b[2]));
          },
          tenon_workspace_message(w.get()));
  }
}

// Products have no matrices, and take the option as it is.
TEST_F(RowMajor, ProductsAreTheSame) {
  std::vector<double> by[2] = {std::vector<double>(nv), std::vector<double>(nv)};
  for (const bool rows : {false, true})
    ASSERT_EQ(tenon_constrained_dynamics_vjp(w.get(), layout(rows, false), q, nq, v, nv, x, nv, nullptr, 0,
                                             nullptr, 0, x, nv, nullptr, 0, nullptr, 0, nullptr, 0,
                                             by[rows].data(), nv, nullptr, 0, nullptr, 0, nullptr, 0),
              TENON_OK);
  EXPECT_EQ(by[0], by[1]);
}

TEST_F(RowMajor, WhatIsWrongIsRefused) {
  const auto refused = [&](tenon_status expected, std::size_t count, int32_t ld, const char* words) {
    std::vector<double> out(nv * (nv + m), 77.0);
    EXPECT_EQ(tenon_constrained_dynamics_derivatives(w.get(), layout(true, true), q, nq, v, nv, x, nv,
                                                     nullptr, 0, k, m, nullptr, 0, nullptr, 0, nullptr, 0, 0,
                                                     nullptr, 0, 0, nullptr, 0, 0, out.data(), count, ld),
              expected);
    EXPECT_NE(std::string(tenon_workspace_message(w.get())).find(words), std::string::npos)
        << tenon_workspace_message(w.get()) << " / " << words;
    EXPECT_EQ(out, std::vector<double>(nv * (nv + m), 77.0));
  };
  // dqdd_ddesired is 18 x 12.
  refused(TENON_WRONG_SIZE, nv * m, 11,
          "dqdd_ddesired: the leading dimension is 11; a row-major matrix of 12 columns");
  refused(TENON_WRONG_SIZE, nv * m, -1, "the leading dimension is -1");
  refused(TENON_WRONG_SIZE, nv * m - 1, 12, "18 x 12, row-major, with leading dimension 12 needs 216");
  std::vector<double> all((nv + m) * nv);
  EXPECT_EQ(tenon_constrained_solution_derivatives(w.get(), layout(true, false), q, nq, v, nv, x, nv, nullptr,
                                                   0, k, m, nullptr, 0, nullptr, 0, all.data(), all.size(),
                                                   -2, nullptr, 0, 0, nullptr, 0, 0, nullptr, 0, 0),
            TENON_WRONG_SIZE);
  std::vector<double> out(nv * m, 0.0);
  out[13] = std::nan("");
  EXPECT_EQ(tenon_constrained_dynamics_derivatives(w.get(), layout(true, true), q, nq, v, nv, x, nv, nullptr,
                                                   0, k, m, nullptr, 0, nullptr, 0, nullptr, 0, 0, nullptr, 0,
                                                   0, nullptr, 0, 0, out.data(), out.size(), 12),
            TENON_NOT_FINITE);
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("dqdd_ddesired[13] is NaN"), std::string::npos)
      << tenon_workspace_message(w.get());
  const auto strange = options_of(tenon_derivative_options_init, [](auto& o) { o.row_major = -1; });
  EXPECT_EQ(tenon_inverse_dynamics_vjp(w.get(), strange, q, nq, v, nv, x, nv, nullptr, 0, x, nv, nullptr, 0,
                                       out.data(), nv, nullptr, 0, nullptr, 0),
            TENON_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("row_major is -1"), std::string::npos);
}

class RowMajorBatches : public RowMajor {
 protected:
  static constexpr std::size_t states = 19;

  RowMajorBatches() {
    for (std::size_t i = 0; i < states; ++i) {
      const State one(model, w.get(), i + 1);
      all_q.insert(all_q.end(), one.q.begin(), one.q.end());
      all_v.insert(all_v.end(), one.v.begin(), one.v.end());
      all_x.insert(all_x.end(), one.tau.begin(), one.tau.end());
    }
    qs = rows_of(all_q, nq), vs = rows_of(all_v, nv), xs = rows_of(all_x, nv);
  }
  std::vector<double> all_q, all_v, all_x;
  tenon_batch_array qs, vs, xs;
};

TEST_F(RowMajorBatches, SideBySide) {
  const Batch b = batch(model);
  for (const auto function :
       {tenon_batch_inverse_dynamics_derivatives, tenon_batch_forward_dynamics_derivatives})
    expect_same(
        squares,
        [&](const tenon_derivative_options* how, std::vector<Block>& out) {
          const tenon_batch_array to[3] = {out[0].array(), out[1].array(), out[2].array()};
          return function(b.get(), how, states, &qs, &vs, &xs, nullptr, nullptr, &to[0], &to[1], &to[2],
                          nullptr, 0);
        },
        tenon_batch_message(b.get()), states);
}

TEST_F(RowMajorBatches, StateByState) {
  const Batch b = batch(model, set);
  ASSERT_EQ(tenon_batch_anchor_here(b.get(), states, &qs, nullptr, 0), TENON_OK);
  expect_same(
      {{nv, nv}, {nv, nv}, {nv, nv}, {nv, m}, {m, nv}, {m, nv}, {m, nv}, {m, m}},
      [&](const tenon_derivative_options* how, std::vector<Block>& out) {
        tenon_batch_array to[8];
        for (std::size_t l = 0; l < 8; ++l) to[l] = out[l].array();
        return tenon_batch_constrained_dynamics_derivatives(
            b.get(), how, states, &qs, &vs, &xs, nullptr, nullptr, nullptr, nullptr, &to[0], &to[1], &to[2],
            &to[3], &to[4], &to[5], &to[6], &to[7], nullptr, 0);
      },
      tenon_batch_message(b.get()), states);
}

// Without a stride of records rows lie behind one another, as columns do.
TEST_F(RowMajorBatches, RowsOneBehindTheOther) {
  const Batch b = batch(model, set);
  ASSERT_EQ(tenon_batch_anchor_here(b.get(), states, &qs, nullptr, 0), TENON_OK);
  std::vector<double> columns(states * nv * m), rows(2 * states * nv * m, 77.0);
  const auto call = [&](bool row_major, const tenon_batch_array& to) {
    return tenon_batch_constrained_dynamics_derivatives(
        b.get(), layout(row_major, false), states, &qs, &vs, &xs, nullptr, nullptr, nullptr, nullptr, nullptr,
        nullptr, nullptr, &to, nullptr, nullptr, nullptr, nullptr, nullptr, 0);
  };
  ASSERT_EQ(call(false, rows_of(columns, nv * m)), TENON_OK) << tenon_batch_message(b.get());
  ASSERT_EQ(call(true, strided(rows, nv * m, 2, static_cast<ptrdiff_t>(2 * nv * m))), TENON_OK)
      << tenon_batch_message(b.get());
  for (std::size_t n = 0; n < states; ++n)
    for (std::size_t i = 0; i < nv; ++i)
      for (std::size_t c = 0; c < m; ++c) {
        ASSERT_EQ(rows[2 * (n * nv * m + i * m + c)], columns[n * nv * m + c * nv + i]);
        ASSERT_EQ(rows[2 * (n * nv * m + i * m + c) + 1], 77.0);
      }
  // Of 12 numbers a row, these overlap.
  const auto n = static_cast<ptrdiff_t>(nv * m);
  EXPECT_EQ(call(true, strided(rows, nv * m, 1, n, 11)), TENON_WRONG_SIZE);
  EXPECT_NE(std::string(tenon_batch_message(b.get())).find("overwrite each other"), std::string::npos);
  EXPECT_EQ(call(true, strided(rows, nv * m - 1, 1, n, 12)), TENON_WRONG_SIZE);
  EXPECT_NE(std::string(tenon_batch_message(b.get())).find("18 x 12"), std::string::npos);
}

}  // namespace
