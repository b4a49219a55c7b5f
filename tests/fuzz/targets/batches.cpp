// Batches: every function, with arrays of any strides. What tenon.h promises of them is demanded: a state that fails
// writes nothing, the others are finite, nothing between or behind the numbers is touched, and a state gives the same
// bits alone.
#include <algorithm>

#include "support/robots.hpp"
#include "support/strided.hpp"

namespace tenon::fuzz {
namespace {

struct Batch {
  const tenon_model* model = nullptr;
  tenon_constraints* set = nullptr;
  tenon_workspace* workspace = nullptr;  // for configurations
  tenon_batch* batch = nullptr;
  bool single = false, independent_q = false, independent_v = false;

  explicit Batch(Input& in) : model(robot(in.below(robot_count))) {
    const int links = tenon_model_link_count(model);
    tenon_constraints_create(model, &set, nullptr, 0);
    for (int constraints = in.below(4); constraints > 0; --constraints) {
      tenon_constraint_options options;
      tenon_constraint_options_init(&options, sizeof options);
      options.axes = in.below(2);
      if (in.once_in(4)) options.frequency = in.below(20);
      const std::vector<double> pose = in.pose();
      const std::int32_t link = in.index(links), second = in.index(links);
      const int kind = in.below(3);
      if (kind == 0) tenon_constraints_add_point(set, link, pose.data(), 3, &options, nullptr, nullptr, 0);
      if (kind == 1) tenon_constraints_add_weld(set, link, pose.data(), 7, &options, nullptr, nullptr, 0);
      if (kind == 2)
        tenon_constraints_add_closure(set, link, pose.data(), 7, second, pose.data(), 7, &options, nullptr,
                                      nullptr, 0);
    }
    DEMAND(tenon_constraints_finish(set, nullptr, 0) == TENON_OK, "finish");
    tenon_workspace_create(model, set, nullptr, &workspace, nullptr, 0);
    tenon_batch_options options;
    tenon_batch_options_init(&options, sizeof options);
    options.precision = in.below(2);
    options.threads = in.once_in(32) ? 2 : 1;
    options.instruction_set =
        in.once_in(8) ? TENON_INSTRUCTION_SET_BASELINE : TENON_INSTRUCTION_SET_AUTOMATIC;
    single = options.precision == TENON_PRECISION_SINGLE;
    char message[256] = "";
    const tenon_status status = tenon_batch_create(model, set, &options, &batch, message, sizeof message);
    DEMAND(status == TENON_OK, "status %d: %s", status, message);
    if (in.once_in(4)) {
      const int positions = in.below(2), velocities = in.below(2);
      if (tenon_batch_set_coordinates(batch, positions, velocities) == TENON_OK) {
        independent_q = positions == 1, independent_v = velocities == 1;
        DEMAND(tenon_workspace_set_coordinates(workspace, positions, velocities) == TENON_OK, "coordinates");
      }
    }
    if (in.once_in(8)) {
      const std::vector<double> pose = in.pose();
      tenon_batch_set_anchor(batch, in.index(4), pose.data(), 7);
    }
  }
  ~Batch() {
    tenon_batch_destroy(batch);
    tenon_workspace_destroy(workspace);
    tenon_constraints_destroy(set);
  }
};

// The arguments of one call, filled for all states or for one of them.
template <class Real>
struct Call {
  Input& in;
  Batch& b;
  std::size_t states, nq, nv, rows, links;
  std::vector<Strided<Real>> inputs, outputs;
  bool wrong = false;
  std::vector<std::int32_t> status;

  Call(Input& input, Batch& batch)
      : in(input),
        b(batch),
        states(static_cast<std::size_t>(in.once_in(32) ? 0 : 1 + in.below(19))),
        nq(static_cast<std::size_t>(tenon_workspace_position_count(b.workspace))),
        nv(static_cast<std::size_t>(tenon_workspace_velocity_count(b.workspace))),
        rows(static_cast<std::size_t>(tenon_workspace_row_count(b.workspace))),
        links(static_cast<std::size_t>(tenon_model_link_count(b.model))),
        status(states, 77) {
    inputs.reserve(16), outputs.reserve(16);
  }

  const tenon_batch_array* read(std::size_t count, bool is_q = false, std::size_t records = 1) {
    inputs.emplace_back(in, count, states, records, false);
    Strided<Real>& array = inputs.back();
    for (std::size_t s = 0; s < states; ++s)
      for (std::size_t r = 0; r < records; ++r) {
        std::vector<double> x = in.numbers(count);
        if (is_q && !in.once_in(16)) tenon_random(b.workspace, in.byte(), x.data(), count);
        for (std::size_t i = 0; i < count; ++i) array.at(i, s, r) = narrowed(x[i]);
      }
    return spoiled(array);
  }
  // Of an argument that is not given.
  void none() { inputs.emplace_back(in, 0, 0, 0, false); }
  void read_wrenches(bool given) { given ? void(read(6 * links)) : none(); }
  const tenon_batch_array* write(std::size_t count, std::size_t records = 1) {
    outputs.emplace_back(in, count, states, records, true);
    return spoiled(outputs.back());
  }
  // A matrix of each state, its lines apart.
  void write_matrix(std::size_t in_line, std::size_t lines) {
    outputs.emplace_back(in, in_line, states, lines, true);
    outputs.back().changed().count = in_line * lines;
    spoiled(outputs.back());
  }
  // A wrong count, an address between two numbers, or memory that ends or begins too early.
  const tenon_batch_array* spoiled(Strided<Real>& array) {
    tenon_batch_array& a = array.changed();
    if (!in.once_in(128)) return &a;
    if (in.once_in(4) && array.count() > 0 && states > 0)
      a.data = static_cast<char*>(a.data) + 1;
    else if (in.once_in(2) && array.size() > 0)
      in.once_in(2) ? --a.size : in.once_in(2) ? ++a.first : a.first -= 1;
    else
      a.count += in.once_in(2) ? SIZE_MAX : 1;
    wrong = true;
    return &a;
  }
  static Real narrowed(double x) {
    if (std::fabs(x) > static_cast<double>(std::numeric_limits<Real>::max()) && std::isfinite(x))
      return std::numeric_limits<Real>::max();
    return static_cast<Real>(x);
  }

  // What `result` must have done. records: true where a failed state may have written its first ones.
  void check(tenon_status result, const char* name, bool records) {
    const char* message = tenon_batch_message(b.batch);
    DEMAND(result != TENON_INTERNAL_ERROR, "%s: %s", name, message);
    DEMAND(result < 0 || !wrong, "%s took an array that does not fit", name);
    DEMAND((message[0] != '\0') == (result < 0), "%s: status %d, message '%s'", name, result, message);
    const bool computed = std::any_of(status.begin(), status.end(), [](std::int32_t s) { return s != 77; });
    std::size_t good = 0;
    tenon_status first = TENON_OK;
    for (std::size_t s = 0; s < states; ++s) {
      DEMAND(!computed || status[s] != 77, "%s: state %zu has no status", name, s);
      DEMAND(status[s] != TENON_INTERNAL_ERROR, "%s: state %zu: %s", name, s, message);
      if (computed && status[s] < 0 && first == TENON_OK) first = status[s];
      good += computed && status[s] >= 0;
      for (Strided<Real>& out : outputs)
        for (std::size_t k = 0; k < out.count() * out.records(); ++k) {
          const Real x = out.at(k % out.count(), s, k / out.count());
          if (computed && status[s] >= 0)
            DEMAND(std::isfinite(x) && !out.is_nothing(x), "%s: state %zu, status %d, number %zu is %g", name,
                   s, status[s], k, static_cast<double>(x));
          else
            DEMAND(out.is_nothing(x) || (records && computed && std::isfinite(x)),
                   "%s: state %zu, status %d, but number %zu is %g", name, s, status[s], k,
                   static_cast<double>(x));
        }
    }
    DEMAND(!computed || first == result, "%s: status %d, but the first state that fails has %d", name, result,
           first);
    for (Strided<Real>& out : outputs)
      DEMAND(records || out.written() == good * out.count() * out.records(),
             "%s: %zu states of %zu numbers, but %zu are written", name, good, out.count() * out.records(),
             out.written());
  }
};

// The same numbers of one state, one after the other.
template <class Real>
class Alone {
 public:
  Alone(Call<Real>& call, std::size_t state) {
    for (Strided<Real>& from : call.inputs) {
      values_.emplace_back(from.count());
      for (std::size_t i = 0; i < from.count(); ++i) values_.back()[i] = from.at(i, state);
    }
    for (Strided<Real>& like : call.outputs)
      results_.emplace_back(like.count() * like.records(), Strided<Real>::nothing);
    for (auto& each : values_) inputs.push_back(whole(each));
    for (auto& each : results_) outputs.push_back(whole(each));
  }
  void compare(Call<Real>& call, std::size_t state, const char* name) {
    for (std::size_t k = 0; k < results_.size(); ++k)
      for (std::size_t i = 0; i < results_[k].size(); ++i) {
        Strided<Real>& all = call.outputs[k];
        const Real batched = all.at(i % all.count(), state, i / all.count()), alone = results_[k][i];
        DEMAND(std::memcmp(&batched, &alone, sizeof alone) == 0,
               "%s: state %zu, number %zu is %.17g, alone %.17g", name, state, i,
               static_cast<double>(batched), static_cast<double>(alone));
      }
  }

  std::vector<tenon_batch_array> inputs, outputs;

 private:
  static tenon_batch_array whole(std::vector<Real>& x) {
    tenon_batch_array a;
    tenon_batch_array_init(&a, sizeof a);
    a.data = x.data(), a.size = a.count = x.size(), a.state_stride = static_cast<std::ptrdiff_t>(x.size());
    return a;
  }
  std::vector<std::vector<Real>> values_, results_;
};

// compute(states, inputs, outputs, status) for all states, then for one.
template <class Real, class F>
void run(Call<Real>& call, const char* name, const F& compute) {
  std::vector<tenon_batch_array> inputs, outputs;
  for (Strided<Real>& each : call.inputs) inputs.push_back(*each.array());
  for (Strided<Real>& each : call.outputs) outputs.push_back(*each.array());
  call.check(compute(call.states, inputs.data(), outputs.data(), call.status.data()), name, false);
  if (call.wrong || call.states == 0 || call.status[0] == 77) return;
  const std::size_t state = static_cast<std::size_t>(call.in.below(256)) % call.states;
  Alone<Real> alone(call, state);
  std::int32_t status = 77;
  compute(1, alone.inputs.data(), alone.outputs.data(), &status);
  DEMAND(status == call.status[state], "%s: state %zu has status %d, alone %d", name, state,
         call.status[state], status);
  alone.compare(call, state, name);
}

template <class Real>
void compute(Input& in, Batch& b) {
  Call<Real> c(in, b);
  tenon_batch* batch = b.batch;
  const bool wrenches = in.once_in(3), optional = in.once_in(2);
  switch (in.below(8)) {
    case 0:
      c.read(c.nq, true), c.read(c.nv), c.read(c.nv), c.read_wrenches(wrenches), c.write(c.nv);
      return run(c, "forward_dynamics",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return tenon_batch_forward_dynamics(batch, n, x, x + 1, x + 2, wrenches ? x + 3 : nullptr,
                                                       y, s, n);
                 });
    case 1:
      c.read(c.nq, true), c.read(c.nv), c.read(c.nv), c.read_wrenches(wrenches), c.write(c.nv);
      return run(c, "inverse_dynamics",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return tenon_batch_inverse_dynamics(batch, n, x, x + 1, x + 2, wrenches ? x + 3 : nullptr,
                                                       y, s, n);
                 });
    case 2: {
      const bool whole = optional, factor = wrenches;
      c.read(c.nq, true), c.write(whole ? c.nv * c.nv : c.nv * (c.nv + 1) / 2);
      return run(c, "mass_matrix",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return whole    ? tenon_batch_mass_matrix(batch, n, x, y, s, n)
                          : factor ? tenon_batch_mass_matrix_factor(batch, n, x, y, s, n)
                                   : tenon_batch_mass_matrix_lower(batch, n, x, y, s, n);
                 });
    }
    case 3: {
      std::vector<std::int32_t> links(static_cast<std::size_t>(in.below(4)));
      for (std::int32_t& link : links) {
        link = in.index(static_cast<int>(c.links));
        c.wrong |= link < 0 || link >= static_cast<std::int32_t>(c.links);
      }
      const std::int32_t axes = in.constant(2);
      c.wrong |= axes < 0 || axes > 1 || links.size() > c.links;
      c.read(c.nq, true), c.read(c.nv), c.write(7 * links.size()), c.write(6 * links.size());
      if (optional) c.write(6 * c.nv * links.size());
      return run(c, "kinematics",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return tenon_batch_kinematics(batch, n, links.data(), links.size(), axes, x, x + 1, y,
                                                 y + 1, optional ? y + 2 : nullptr, s, n);
                 });
    }
    case 4: {
      const Struct<tenon_solve_options> options(in, tenon_solve_options_init, [&](tenon_solve_options& o) {
        if (in.once_in(2)) o.method = in.constant(tenon_constant_count(TENON_CONSTANT_METHOD));
        if (in.once_in(8)) o.max_iterations = in.constant(4);
        if (in.once_in(16)) o.mu = in.number();
        if (in.once_in(16)) o.relative_tolerance = in.number();
      });
      c.wrong |= options.refused();
      c.read(c.nq, true), c.read(c.nv), c.read(c.nv), c.read_wrenches(wrenches), c.read(c.rows),
          c.write(c.nv);
      if (optional) c.write(c.rows);
      return run(c, "constrained_dynamics",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   const Exact<std::int32_t> iterations = exact<std::int32_t>(n);
                   return tenon_batch_constrained_dynamics(
                       batch, options.get(), n, x, x + 1, x + 2, wrenches ? x + 3 : nullptr, x + 4, y,
                       optional ? y + 1 : nullptr, optional ? nullptr : iterations.get(), n, s, n);
                 });
    }
    case 5: {
      const Struct<tenon_delassus_options> options(
          in, tenon_delassus_options_init, [&](tenon_delassus_options& o) {
            o.method = in.constant(tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD));
          });
      c.wrong |= options.refused();
      c.read(c.nq, true), c.write(c.rows * c.rows);
      return run(c, "delassus",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return tenon_batch_delassus(batch, options.get(), n, x, y, s, n);
                 });
    }
    case 6: {
      const Struct<tenon_damped_options> options(in, tenon_damped_options_init, [&](tenon_damped_options& o) {
        o.method = in.constant(tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD));
        if (in.once_in(4)) o.mu = in.number();
      });
      c.wrong |= options.refused();
      const int columns = in.below(5);
      c.read(c.nq, true), c.read(c.rows * static_cast<std::size_t>(columns)),
          c.write(c.rows * static_cast<std::size_t>(columns));
      return run(c, "delassus_inverse_times",
                 [&](std::size_t n, const tenon_batch_array* x, const tenon_batch_array* y, std::int32_t* s) {
                   return tenon_batch_delassus_inverse_times(batch, options.get(), n, columns, x, x + 1, y, s,
                                                             n);
                 });
    }
    default: {
      const std::size_t steps = static_cast<std::size_t>(in.below(6));
      const std::size_t every = static_cast<std::size_t>(in.once_in(16) ? 0 : 1 + in.below(3));
      const bool each = in.once_in(2);
      const Struct<tenon_rollout_options> options(in, tenon_rollout_options_init,
                                                  [&](tenon_rollout_options& o) {
                                                    o.integrator = in.constant(2);
                                                    o.steps = steps, o.every = every;
                                                    if (in.once_in(4)) o.dt = in.number();
                                                  });
      c.wrong |= options.refused();
      // A short struct, or none, makes one step and one record.
      const tenon_rollout_options* given = options.get();
      const bool whole = given && given->struct_size >= offsetof(tenon_rollout_options, solve);
      const std::size_t made = whole                                                                   ? steps
                               : given && given->struct_size >= offsetof(tenon_rollout_options, every) ? steps
                                                                                                       : 1;
      const std::size_t between = whole ? every : 1;
      c.wrong |= between == 0;
      const std::size_t records = between == 0 ? 0 : made / between;
      c.read(c.nq, true), c.read(c.nv);
      const tenon_batch_array* tau = c.read(c.nv, false, each ? made : 1);
      if (!each && tau->record_stride != 0) c.inputs.back().changed().record_stride = 0;
      c.read_wrenches(wrenches);
      c.write(c.nq, records);
      if (optional) c.write(c.nv, records);
      const tenon_status result = tenon_batch_rollout(
          batch, given, c.states, c.inputs[0].array(), c.inputs[1].array(), c.inputs[2].array(),
          wrenches ? c.inputs[3].array() : nullptr, c.outputs[0].array(),
          optional ? c.outputs[1].array() : nullptr, c.status.data(), c.states);
      return c.check(result, "rollout", true);
    }
  }
}

// Of first and second derivatives, matrices row by row or column by column; and of steps and whole rollouts.
template <class Real>
void differentiate(Input& in, Batch& b) {
  Call<Real> c(in, b);
  tenon_batch* batch = b.batch;
  const bool wrenches = in.once_in(3), inverse = in.once_in(2), finer = in.once_in(2);
  tenon_derivative_options layout;
  tenon_derivative_options_init(&layout, sizeof layout), layout.row_major = in.once_in(3);
  const tenon_derivative_options* how = &layout;
  const double dt = in.once_in(4) ? in.number() : 0.01;
  const int kind = in.below(13);
  c.wrong |= kind >= 10 && kind < 12 && !std::isfinite(dt);
  using Array = const tenon_batch_array*;
  using Status = std::int32_t*;
  const auto read = [&](int vectors) {
    for (int i = 0; i < vectors; ++i) c.read(c.nv);
  };
  const auto write = [&](int vectors, std::size_t count) {
    for (int i = 0; i < vectors; ++i) c.write(count);
  };
  const auto matrices = [&](int count, std::size_t rows, std::size_t columns) {
    for (int i = 0; i < count; ++i)
      layout.row_major != 0 ? c.write_matrix(columns, rows) : c.write_matrix(rows, columns);
  };
  const auto w = [&](Array x) { return wrenches ? x + 3 : nullptr; };
  c.read(c.nq, true), read(2), c.read_wrenches(wrenches);
  if (kind >= 5 && kind < 10) c.read(c.rows);  // desired accelerations
  switch (kind) {
    case 0:
      write(1, c.nv), matrices(3, c.nv, c.nv);
      return run(c, "derivatives", [&](std::size_t n, Array x, Array y, Status s) {
        const auto f =
            inverse ? tenon_batch_inverse_dynamics_derivatives : tenon_batch_forward_dynamics_derivatives;
        return f(batch, how, n, x, x + 1, x + 2, w(x), y, y + 1, y + 2, y + 3, s, n);
      });
    case 1:
      read(1), write(4, c.nv);
      return run(c, "vjp", [&](std::size_t n, Array x, Array y, Status s) {
        const auto f = inverse ? tenon_batch_inverse_dynamics_vjp : tenon_batch_forward_dynamics_vjp;
        return f(batch, how, n, x, x + 1, x + 2, w(x), x + 4, y, y + 1, y + 2, y + 3, s, n);
      });
    case 2:
      read(3), write(2, c.nv);
      return run(c, "jvp", [&](std::size_t n, Array x, Array y, Status s) {
        const auto f = inverse ? tenon_batch_inverse_dynamics_jvp : tenon_batch_forward_dynamics_jvp;
        return f(batch, how, n, x, x + 1, x + 2, w(x), x + 4, x + 5, x + 6, y, y + 1, s, n);
      });
    case 3:
      read(1), matrices(4, c.nv, c.nv);
      return run(c, "hessian", [&](std::size_t n, Array x, Array y, Status s) {
        const auto f = inverse ? tenon_batch_inverse_dynamics_hessian : tenon_batch_forward_dynamics_hessian;
        return f(batch, how, n, x, x + 1, x + 2, w(x), x + 4, y, y + 1, y + 2, y + 3, s, n);
      });
    case 4:
      read(4), write(3, c.nv);
      return run(c, "hvp", [&](std::size_t n, Array x, Array y, Status s) {
        const auto f = inverse ? tenon_batch_inverse_dynamics_hvp : tenon_batch_forward_dynamics_hvp;
        return f(batch, how, n, x, x + 1, x + 2, w(x), x + 4, x + 5, x + 6, x + 7, y, y + 1, y + 2, s, n);
      });
    case 5:
      write(1, c.nv), write(1, c.rows), matrices(3, c.nv, c.nv), matrices(1, c.nv, c.rows),
          matrices(3, c.rows, c.nv), matrices(1, c.rows, c.rows);
      return run(c, "constrained derivatives", [&](std::size_t n, Array x, Array y, Status s) {
        return tenon_batch_constrained_dynamics_derivatives(batch, how, n, x, x + 1, x + 2, w(x), x + 4, y,
                                                            y + 1, y + 2, y + 3, y + 4, y + 5, y + 6, y + 7,
                                                            y + 8, y + 9, s, n);
      });
    case 6:
      read(1), c.read(c.rows), write(1, c.nv), write(1, c.rows), write(3, c.nv), write(1, c.rows);
      return run(c, "constrained vjp", [&](std::size_t n, Array x, Array y, Status s) {
        return tenon_batch_constrained_dynamics_vjp(batch, how, n, x, x + 1, x + 2, w(x), x + 4, x + 5, x + 6,
                                                    y, y + 1, y + 2, y + 3, y + 4, y + 5, s, n);
      });
    case 7:
      read(3), c.read(c.rows), write(1, c.nv), write(1, c.rows), write(1, c.nv), write(1, c.rows);
      return run(c, "constrained jvp", [&](std::size_t n, Array x, Array y, Status s) {
        return tenon_batch_constrained_dynamics_jvp(batch, how, n, x, x + 1, x + 2, w(x), x + 4, x + 5, x + 6,
                                                    x + 7, x + 8, y, y + 1, y + 2, y + 3, s, n);
      });
    case 8:
      read(1), inverse ? void(c.read(c.rows)) : c.none();
      matrices(4, c.nv, c.nv), matrices(1, c.nv, c.rows);
      return run(c, "constrained hessian", [&](std::size_t n, Array x, Array y, Status s) {
        return tenon_batch_constrained_dynamics_hessian(batch, how, n, x, x + 1, x + 2, w(x), x + 4, x + 5,
                                                        inverse ? x + 6 : nullptr, y, y + 1, y + 2, y + 3,
                                                        y + 4, s, n);
      });
    case 9:
      read(1), inverse ? void(c.read(c.rows)) : c.none();
      read(3), c.read(c.rows), write(3, c.nv), write(1, c.rows);
      return run(c, "constrained hvp", [&](std::size_t n, Array x, Array y, Status s) {
        return tenon_batch_constrained_dynamics_hvp(batch, how, n, x, x + 1, x + 2, w(x), x + 4, x + 5,
                                                    inverse ? x + 6 : nullptr, x + 7, x + 8, x + 9, x + 10, y,
                                                    y + 1, y + 2, y + 3, s, n);
      });
    case 10:
      read(2), write(1, c.nq), write(4, c.nv);
      return run(c, "vjp of a step", [&](std::size_t n, Array x, Array y, Status s) {
        return (finer ? tenon_batch_step_runge_kutta_4_vjp : tenon_batch_step_semi_implicit_euler_vjp)(
            batch, how, n, dt, x, x + 1, x + 2, w(x), x + 4, x + 5, y, y + 1, y + 2, y + 3, y + 4, s, n);
      });
    case 11:
      read(3), write(1, c.nq), write(3, c.nv);
      return run(c, "jvp of a step", [&](std::size_t n, Array x, Array y, Status s) {
        return (finer ? tenon_batch_step_runge_kutta_4_jvp : tenon_batch_step_semi_implicit_euler_jvp)(
            batch, how, n, dt, x, x + 1, x + 2, w(x), x + 4, x + 5, x + 6, y, y + 1, y + 2, y + 3, s, n);
      });
    default: {
      tenon_rollout_options options;
      tenon_rollout_options_init(&options, sizeof options);
      options.steps = static_cast<std::size_t>(in.below(6));
      options.every = static_cast<std::size_t>(1 + in.below(3));
      if (finer) options.integrator = TENON_INTEGRATOR_RUNGE_KUTTA_4;
      const std::size_t records = options.steps / options.every;
      c.read(c.nv, false, records), c.read(c.nv, false, records);
      write(2, c.nv), c.write(c.nv, options.steps);
      const auto x = [&](std::size_t i) { return c.inputs[i].array(); };
      const auto y = [&](std::size_t i) { return c.outputs[i].array(); };
      tenon_batch_array tau = *x(2);
      tau.record_stride = 0;
      const tenon_status result =
          tenon_batch_rollout_vjp(batch, &options, c.states, x(0), x(1), &tau, wrenches ? x(3) : nullptr,
                                  x(4), x(5), y(0), y(1), y(2), c.status.data(), c.states);
      return c.check(result, "gradients through a rollout", true);
    }
  }
}

}  // namespace
}  // namespace tenon::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::fuzz;
  Input in(data, size);
  Batch batch(in);
  for (int calls = 0; calls < 4 && !in.empty(); ++calls)
    batch.single ? compute<float>(in, batch) : compute<double>(in, batch);
  for (int calls = 0; calls < 4 && !in.empty(); ++calls)
    batch.single ? differentiate<float>(in, batch) : differentiate<double>(in, batch);
  return 0;
}
