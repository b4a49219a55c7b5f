// A batch, a call of it with arrays of any strides, and what tenon.h promises of these.
#pragma once

#include <algorithm>

#include "support/robots.hpp"
#include "support/strided.hpp"

namespace tenon::fuzz {

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
  // Of what was written last: it is added to what is there.
  void add() { outputs.back().begin_with(static_cast<Real>(0.375)); }
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
            DEMAND(out.is_start(x) || (records && computed && std::isfinite(x)),
                   "%s: state %zu, status %d, but number %zu is %g", name, s, status[s], k,
                   static_cast<double>(x));
        }
    }
    DEMAND(!computed || first == result, "%s: status %d, but the first state that fails has %d", name, result,
           first);
    for (Strided<Real>& out : outputs)
      DEMAND(records || out.written() == (out.added() ? states : good) * out.count() * out.records(),
             "%s: %zu states of %zu numbers, but %zu are written", name, good, out.count() * out.records(),
             out.written());
  }
};

// The same numbers of one state, one after the other.
template <class Real>
class Alone {
 public:
  // adds: results begin with what theirs do in the call.
  Alone(Call<Real>& call, std::size_t state, bool adds = true) {
    for (Strided<Real>& from : call.inputs) {
      values_.emplace_back(from.count());
      for (std::size_t i = 0; i < from.count(); ++i) values_.back()[i] = from.at(i, state);
    }
    for (Strided<Real>& like : call.outputs)
      results_.emplace_back(like.count() * like.records(), adds ? like.start() : Strided<Real>::nothing);
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

  // What the call added, beside what these, which began with nothing, are.
  void compare_sums(Call<Real>& call, std::size_t state, const char* name) {
    for (std::size_t k = 0; k < results_.size(); ++k)
      for (std::size_t i = 0; call.outputs[k].added() && i < results_[k].size(); ++i) {
        Strided<Real>& all = call.outputs[k];
        const double sum = static_cast<double>(all.at(i % all.count(), state, i / all.count())),
                     once = static_cast<double>(results_[k][i]), start = static_cast<double>(all.start());
        const double rounding = 4 * static_cast<double>(std::numeric_limits<Real>::epsilon());
        DEMAND(std::fabs(sum - start - once) <= rounding * (1 + std::fabs(once)),
               "%s: state %zu, number %zu is %.17g, which is not %.17g + %.17g", name, state, i, sum, start,
               once);
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

// compute(states, inputs, outputs, status) for all states, then for one. how: options that compute uses; null: none.
template <class Real, class F>
void run(Call<Real>& call, const char* name, const F& compute, tenon_derivative_options* how = nullptr) {
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
  if (!how || how->accumulate == 0 || status < 0) return;
  Alone<Real> once(call, state, false);
  how->accumulate = 0;
  const tenon_status result = compute(1, once.inputs.data(), once.outputs.data(), &status);
  DEMAND(result >= 0, "%s: state %zu has status %d without what it adds to", name, state, result);
  once.compare_sums(call, state, name);
}

}  // namespace tenon::fuzz
