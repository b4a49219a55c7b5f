// Many states in one call of a tenon_batch: time, and the error against the single call. A call computes as many states
// as have 1 MiB of results, in whole packs, at least 32 and at most all: what a caller can use before it leaves the cache.
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>

#include "dynamics/rows.hpp"

namespace bench {
namespace {

struct DestroyBatch {
  void operator()(tenon_batch* batch) const { tenon_batch_destroy(batch); }
};
using BatchHandle = std::unique_ptr<tenon_batch, DestroyBatch>;

template <class N>
BatchHandle make_batch(const tenon_model* model, const tenon_constraints* constraints, int threads) {
  tenon_batch_options options;
  tenon_batch_options_init(&options, sizeof options);
  options.precision = sizeof(N) == sizeof(float) ? TENON_PRECISION_SINGLE : TENON_PRECISION_DOUBLE;
  options.threads = threads;
  tenon_batch* batch = nullptr;
  char message[512] = "";
  if (tenon_batch_create(model, constraints, &options, &batch, message, sizeof message) < 0)
    throw std::runtime_error(message);
  return BatchHandle(batch);
}

// Numbers of all states of a call, as a batch takes them.
template <class N>
struct Numbers {
  std::vector<N> data;
  tenon_batch_array array{};

  Numbers(std::size_t states, std::size_t count) : data(states * count) {
    tenon_batch_array_init(&array, sizeof array);
    array.data = data.data(), array.size = data.size(), array.count = count;
    array.state_stride = static_cast<ptrdiff_t>(count);
  }
  // Of each state `count` of its numbers, from `first` on.
  tenon_batch_array part(std::size_t first, std::size_t count) const {
    tenon_batch_array array_of_part = array;
    array_of_part.first = first, array_of_part.count = count;
    return array_of_part;
  }
  Numbers(const std::vector<State>& states, std::vector<double> State::*field, std::size_t used)
      : Numbers(used, (states[0].*field).size()) {
    for (std::size_t s = 0; s < used; ++s)
      for (std::size_t k = 0; k < array.count; ++k)
        data[s * array.count + k] = static_cast<N>((states[s].*field)[k]);
  }
};

enum class Quantity {
  aba,
  rnea,
  crba,
  constrained,
  delassus,
  rnea_derivatives,
  aba_derivatives,
  constrained_derivatives,
  rnea_vjp,
  aba_vjp,
  constrained_vjp
};
struct Wanted {
  Quantity quantity;
  const char* name;
  bool constrained;
};
constexpr Wanted all_wanted[] = {{Quantity::aba, "batch_aba", false},
                                 {Quantity::rnea, "batch_rnea", false},
                                 {Quantity::crba, "batch_crba", false},
                                 {Quantity::constrained, "batch_constrained", true},
                                 {Quantity::delassus, "batch_delassus", true},
                                 {Quantity::rnea_derivatives, "batch_rnea_derivatives", false},
                                 {Quantity::aba_derivatives, "batch_aba_derivatives", false},
                                 {Quantity::constrained_derivatives, "batch_constrained_derivatives", true},
                                 {Quantity::rnea_vjp, "batch_rnea_vjp", false},
                                 {Quantity::aba_vjp, "batch_aba_vjp", false},
                                 {Quantity::constrained_vjp, "batch_constrained_vjp", true}};
bool is_derivative(Quantity quantity) {
  return quantity >= Quantity::rnea_derivatives;
}
bool is_vjp(Quantity quantity) {
  return quantity >= Quantity::rnea_vjp;
}
// Whether accelerations go in, and forces come out.
bool is_inverse(Quantity quantity) {
  return quantity == Quantity::rnea || quantity == Quantity::rnea_derivatives ||
         quantity == Quantity::rnea_vjp;
}

std::size_t result_count(const Fixture& fixture, Quantity quantity) {
  const auto n = static_cast<std::size_t>(fixture.nv()), m = static_cast<std::size_t>(fixture.rows());
  if (is_derivative(quantity)) return 3 * (is_vjp(quantity) ? n : n * n);
  return quantity == Quantity::crba ? n * n : quantity == Quantity::delassus ? m * m : n;
}

// One quantity of a robot in numbers N.
template <class N>
class Call {
 public:
  Call(const Fixture& fixture, Quantity quantity, int threads)
      : quantity_(quantity),
        count_(result_count(fixture, quantity)),
        states_(std::min(fixture.states().size(),
                         std::max<std::size_t>(32, (1u << 20) / (sizeof(N) * count_) / 16 * 16))),
        batch_(make_batch<N>(fixture.model(), fixture.constraints(), threads)),
        q_(fixture.states(), &State::q, states_),
        v_(fixture.states(), &State::v, states_),
        force_(fixture.states(), is_inverse(quantity) ? &State::a : &State::tau, states_),
        out_(states_, count_),
        value_(is_derivative(quantity) ? states_ : 0, static_cast<std::size_t>(fixture.nv())),
        ones_(1, static_cast<std::size_t>(fixture.nv())) {
    ones_.data.assign(ones_.data.size(), N(1));
    ones_.array.state_stride = 0;
    for (std::size_t k = 0; k < 3; ++k) by_[k] = out_.part(k * (count_ / 3), count_ / 3);
  }

  tenon_status run() {
    switch (quantity_) {
      case Quantity::aba:
        return tenon_batch_forward_dynamics(batch_.get(), states_, &q_.array, &v_.array, &force_.array,
                                            nullptr, &out_.array, nullptr, 0);
      case Quantity::rnea:
        return tenon_batch_inverse_dynamics(batch_.get(), states_, &q_.array, &v_.array, &force_.array,
                                            nullptr, &out_.array, nullptr, 0);
      case Quantity::crba:
        return tenon_batch_mass_matrix(batch_.get(), states_, &q_.array, &out_.array, nullptr, 0);
      case Quantity::constrained:
        return tenon_batch_constrained_dynamics(batch_.get(), nullptr, states_, &q_.array, &v_.array,
                                                &force_.array, nullptr, nullptr, &out_.array, nullptr,
                                                nullptr, 0, nullptr, 0);
      case Quantity::delassus:
        return tenon_batch_delassus(batch_.get(), nullptr, states_, &q_.array, &out_.array, nullptr, 0);
      default:
        return run_derivatives();
    }
  }
  void require() {
    if (run() < 0) throw std::runtime_error(tenon_batch_message(batch_.get()));
  }
  std::size_t states() const { return states_; }
  std::vector<double> result(std::size_t state) const {
    const N* from = out_.data.data() + state * count_;
    return std::vector<double>(from, from + count_);
  }

 private:
  // The value with its three derivatives, or the gradients of the sum of its numbers.
  tenon_status run_derivatives() {
    tenon_batch* const b = batch_.get();
    const tenon_batch_array *q = &q_.array, *v = &v_.array, *force = &force_.array, *value = &value_.array,
                            *ones = &ones_.array;
    const auto& [by_q, by_v, by_force] = by_;
    switch (quantity_) {
      case Quantity::rnea_derivatives:
        return tenon_batch_inverse_dynamics_derivatives(b, nullptr, states_, q, v, force, nullptr, value,
                                                        &by_q, &by_v, &by_force, nullptr, 0);
      case Quantity::aba_derivatives:
        return tenon_batch_forward_dynamics_derivatives(b, nullptr, states_, q, v, force, nullptr, value,
                                                        &by_q, &by_v, &by_force, nullptr, 0);
      case Quantity::constrained_derivatives:
        return tenon_batch_constrained_dynamics_derivatives(
            b, nullptr, states_, q, v, force, nullptr, nullptr, value, nullptr, &by_q, &by_v, &by_force,
            nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0);
      case Quantity::rnea_vjp:
        return tenon_batch_inverse_dynamics_vjp(b, nullptr, states_, q, v, force, nullptr, ones, value, &by_q,
                                                &by_v, &by_force, nullptr, 0);
      case Quantity::aba_vjp:
        return tenon_batch_forward_dynamics_vjp(b, nullptr, states_, q, v, force, nullptr, ones, value, &by_q,
                                                &by_v, &by_force, nullptr, 0);
      default:
        return tenon_batch_constrained_dynamics_vjp(b, nullptr, states_, q, v, force, nullptr, nullptr, ones,
                                                    nullptr, value, nullptr, &by_q, &by_v, &by_force, nullptr,
                                                    nullptr, 0);
    }
  }

  Quantity quantity_;
  std::size_t count_, states_;
  BatchHandle batch_;
  Numbers<N> q_, v_, force_, out_, value_, ones_;
  std::array<tenon_batch_array, 3> by_{};
};

// Derivatives of a state by the single call.
std::vector<double> expected_derivatives(Fixture& fixture, Quantity quantity, int state) {
  using Single = tenon_status (Fixture::*)(int);
  constexpr Single singles[] = {&Fixture::inverse_dynamics_derivatives,
                                &Fixture::forward_dynamics_derivatives,
                                &Fixture::constrained_dynamics_derivatives,
                                &Fixture::inverse_dynamics_vjp,
                                &Fixture::forward_dynamics_vjp,
                                &Fixture::constrained_dynamics_vjp};
  const auto k = static_cast<std::size_t>(quantity) - static_cast<std::size_t>(Quantity::rnea_derivatives);
  (fixture.*singles[k])(state);
  const auto count = static_cast<std::ptrdiff_t>(result_count(fixture, quantity));
  return {fixture.derivatives().begin(), fixture.derivatives().begin() + count};
}

// What the single call gives for the same numbers; the Delassus matrix by the dense method, accelerations under rows
// by the dense solution.
template <class N>
std::vector<double> expected(Fixture& fixture, Quantity quantity, int state) {
  if (sizeof(N) == sizeof(float)) {
    fixture.round_to_floats(state);
    state = Fixture::rounded_state;
  }
  switch (quantity) {
    case Quantity::aba:
      fixture.forward_dynamics(state);
      return fixture.out();
    case Quantity::rnea:
      fixture.inverse_dynamics(state);
      return fixture.out();
    case Quantity::crba:
      fixture.mass_matrix(state);
      return fixture.matrix();
    case Quantity::constrained:
      fixture.constrained_dynamics(state, default_options(TENON_METHOD_DENSE));
      return fixture.out();
    case Quantity::delassus:
      fixture.delassus(state, TENON_DELASSUS_METHOD_DENSE);
      return fixture.delassus();
    default:
      return expected_derivatives(fixture, quantity, state);
  }
}

template <class N>
void register_call(Fixture& fixture, const Wanted& wanted, int threads) {
  const std::string method =
      std::string(sizeof(N) == sizeof(float) ? "float" : "double") + (threads > 1 ? "_threads" : "");
  const auto row = register_one(
      fixture.name() + "/" + wanted.name + "/tenon:" + method,
      [&fixture, &wanted, threads](benchmark::State& state) {
        Call<N> call(fixture, wanted.quantity, threads);
        call.require();
        double error = 0, rounding = 0;
        for (int i = 0; i < static_cast<int>(fixture.reference().size()); ++i) {
          const std::vector<double> answer = expected<N>(fixture, wanted.quantity, i);
          error = std::max(error, relative_difference(call.result(static_cast<std::size_t>(i)), answer));
          rounding =
              std::max(rounding, relative_difference(answer, expected<double>(fixture, wanted.quantity, i)));
        }
        for (auto _ : state) call.run();
        label(state, fixture, wanted.constrained);
        state.counters["error"] = error;
        state.counters["rounding"] = rounding;
        state.counters["states"] = static_cast<double>(call.states());
        state.counters["workers"] = threads;
      });
  if (threads > 1) row->UseRealTime();
}

// Cassie on its six loops: a step of a rollout from closed configurations, at rest and limp.
constexpr std::size_t loop_states = 64, loop_steps = 10;

template <class N>
class LoopRollout {
 public:
  explicit LoopRollout(const std::string& urdf) {
    char message[512] = "";
    const auto check = [&](tenon_status status) {
      if (status < 0) throw std::runtime_error(std::string("cassie: ") + message);
    };
    tenon_model_options options;
    tenon_model_options_init(&options, sizeof options);
    options.base = TENON_BASE_FLOATING;
    tenon_model* model = nullptr;
    check(tenon_model_parse_urdf(urdf.data(), urdf.size(), &options, &model, message, sizeof message));
    const std::unique_ptr<tenon_model, void (*)(tenon_model*)> keep(model, &tenon_model_destroy);
    batch_ = make_batch<N>(model, nullptr, 1);
    tenon_workspace* made = nullptr;
    check(tenon_workspace_create(model, nullptr, nullptr, &made, message, sizeof message));
    const std::unique_ptr<tenon_workspace, void (*)(tenon_workspace*)> workspace(made,
                                                                                 &tenon_workspace_destroy);
    const auto nq = static_cast<std::size_t>(tenon_model_nq(model));
    const auto nv = static_cast<std::size_t>(tenon_model_nv(model));
    states_.resize(loop_states,
                   {std::vector<double>(nq), std::vector<double>(nv), std::vector<double>(nv), {}});
    std::uint64_t seed = 0;
    for (State& s : states_) close(*workspace, seed, s.q);
    q_ = std::make_unique<Numbers<N>>(states_, &State::q, loop_states);
    v_ = std::make_unique<Numbers<N>>(states_, &State::v, loop_states);
    tau_ = std::make_unique<Numbers<N>>(states_, &State::tau, loop_states);
    out_ = std::make_unique<Numbers<N>>(loop_states, nv);
    status_.resize(loop_states);
    tenon_rollout_options_init(&options_, sizeof options_);
    options_.steps = options_.every = loop_steps;
  }

  tenon_status run() {
    return tenon_batch_rollout(batch_.get(), &options_, loop_states, &q_->array, &v_->array, &tau_->array,
                               nullptr, nullptr, &out_->array, status_.data(), loop_states);
  }
  const char* message() const { return tenon_batch_message(batch_.get()); }

 private:
  // The next seed from whose configuration the loops close.
  static void close(tenon_workspace& w, std::uint64_t& seed, std::vector<double>& q) {
    tenon_status status = TENON_INFEASIBLE;
    while (status == TENON_INFEASIBLE) {
      status = tenon_random(&w, ++seed, q.data(), q.size());
      if (status == TENON_OK) status = tenon_close_loops(&w, nullptr, q.data(), q.size(), nullptr);
      if (status < 0) throw std::runtime_error(tenon_workspace_message(&w));
    }
  }

  std::vector<State> states_;
  BatchHandle batch_;
  std::unique_ptr<Numbers<N>> q_, v_, tau_, out_;
  std::vector<std::int32_t> status_;
  tenon_rollout_options options_{};
};

template <class N>
void register_rollout(const std::string& name) {
  register_one(name, [](benchmark::State& state) {
    LoopRollout<N> rollout(model_text("cassie"));
    if (rollout.run() < 0) throw std::runtime_error(rollout.message());
    for (auto _ : state) rollout.run();
    state.counters["n"] = state.counters["m"] = 0;
    state.counters["states"] = loop_states * loop_steps;
    state.counters["workers"] = 1;
  });
}

}  // namespace

void register_batches(Fixture& fixture) {
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  for (const Wanted& wanted : all_wanted) {
    register_call<double>(fixture, wanted, 1);
    register_call<float>(fixture, wanted, 1);
    if (threads < 2 || is_derivative(wanted.quantity)) continue;
    register_call<double>(fixture, wanted, threads);
    register_call<float>(fixture, wanted, threads);
  }
}

void register_loop_batch() {
  register_rollout<double>("cassie/batch_rollout/tenon:double");
  register_rollout<float>("cassie/batch_rollout/tenon:float");
}

}  // namespace bench
