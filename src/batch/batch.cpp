// The threads of a batch. Packs of states are taken by threads as they become free; which thread computes a
// pack does not change its numbers.
#include "tenon/batch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "batch/batch_robots.hpp"
#include "batch/batch_rows.hpp"
#include "batch/crew.hpp"
#include "batch/worker.hpp"
#include "plan/dispatch.hpp"
#include "scalar/index.hpp"
#include "state/coordinates.hpp"
#include "state/workspace_impl.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/kinematics_derivatives.hpp"
#include "tenon/loops.hpp"
#include "tenon/status.hpp"

namespace tenon {

class BatchImpl {
 public:
  BatchImpl(const std::shared_ptr<const Model>& model,
            const std::shared_ptr<const ConstraintSet>& constraints, const BatchOptions& options_)
      : options(options_) {
    options.instructions = resolve(options.instructions);
    for (int i = 0; i < options.threads; ++i) workers.push_back(make_worker(model, constraints, options));
    rows = std::make_unique<BatchRows>(workers[0]->single);
    robots = std::make_unique<BatchRobots>(workers[0]->single.impl().model);
    try {
      crew = std::make_unique<Crew>(options.threads - 1, [this](std::size_t thread) { work(thread); });
    } catch (const std::system_error& fault) {
      throw Error(Status::out_of_memory, "the " + std::to_string(options.threads) +
                                             " threads of the batch cannot be started (" + fault.what() +
                                             "); ask for fewer");
    }
  }

  Status run(BatchCall call) {
    for (const auto& worker : workers) worker->start_call();
    first_failure = nullptr;
    refusal[0] = '\0';
    if (call.states == 0) return Status::ok;
    if (rows->serve(call.function)) {
      call.rows = rows.get();
      const Status status = rows->check(call, refusal, sizeof refusal);
      if (status != Status::ok) return status;
    }
    if (robots->serve(call.function)) {
      call.robots = robots.get();
      const Status status = robots->check(call, refusal, sizeof refusal);
      if (status != Status::ok) return status;
    }
    if (call.feedback.given() && !check_feedback(call)) return Status::unsupported;
    if (call.differentiates()) {
      Workspace& one = workers[0]->single;
      const Status status = check_derivatives(call, one);
      if (status != Status::ok) {
        std::snprintf(refusal, sizeof refusal, "%s", one.message());
        return status;
      }
    }
    if (options.reports && call.solves_rows()) {
      reports.assign(call.states, SolveReport{});
      call.reports = reports.data();
    }
    error = nullptr;
    has_error = false;
    current = &call;
    next = 0;
    const std::size_t width = index(workers[0]->width);
    for (const auto& worker : workers) worker->prepare(call);
    // Alone a thread takes all packs at once: an atomic addition waits until all results before it are written.
    const std::size_t packs = (call.states - 1) / width + 1, threads = workers.size();
    share =
        width * (threads == 1 ? packs : std::clamp(packs / (8 * threads), std::size_t{1}, std::size_t{8}));
    crew->run(packs - 1);
    if (error) std::rethrow_exception(error);
    for (const auto& worker : workers) {
      const Worker::Failure& failure = worker->failure;
      if (failure.status == Status::ok) continue;
      if (!first_failure || failure.state < first_failure->state) first_failure = &failure;
    }
    return first_failure ? first_failure->status : Status::ok;
  }

  BatchOptions options;
  std::vector<std::unique_ptr<Worker>> workers;
  std::unique_ptr<BatchRows> rows;
  std::unique_ptr<BatchRobots> robots;
  std::vector<SolveReport> reports;
  const Worker::Failure* first_failure = nullptr;
  char refusal[512] = "";  // why a call was not begun

 private:
  // Whether loops leave derivatives at all; one: a workspace of the batch.
  static Status check_derivatives(const BatchCall& call, Workspace& one) {
    if (call.of_steps()) return check_differentiable_step(one);
    if (call.of_kinematics() && call.derivatives.form != DerivativeForm::parameter_vjp)
      return check_differentiable_kinematics(one);
    if (call.derivatives.form == DerivativeForm::regressor) return Status::ok;
    if (call.derivatives.form == DerivativeForm::parameter_vjp)
      return call.function == BatchFunction::forward_derivatives ? check_forward_parameters(one) : Status::ok;
    if (call.differentiates_twice())
      TENON_CHECK(check_twice_differentiable(one, call.function == BatchFunction::inverse_hessian));
    return call.of_constraints() ? Status::ok : check_differentiable(one);
  }
  // What a controller cannot hold: the orientation of a joint of several coordinates, or independent coordinates.
  bool check_feedback(const BatchCall& call) {
    const WorkspaceImpl& w = workers[0]->single.impl();
    if (w.coordinates.independent_q || w.coordinates.independent_v) {
      std::snprintf(refusal, sizeof refusal,
                    "there is no feedback in independent coordinates; set spanning ones for this rollout");
      return false;
    }
    const BatchArray& stiffness = call.feedback.stiffness;
    for (std::size_t s = 0; stiffness.data && s < (stiffness.state_stride == 0 ? 1 : call.states); ++s) {
      const NumbersOfState given(stiffness, options.single_precision, s);
      for (const Model::Joint& joint : w.model->joints)
        for (int k = joint.v_index; joint.nv > 1 && k < joint.v_index + joint.nv; ++k) {
          if (given[index(k)] == 0) continue;
          std::snprintf(refusal, sizeof refusal,
                        "stiffness %g of coordinate %d in state %zu, of the joint '%s', which has "
                        "several coordinates; give 0 there, and a torque for each step",
                        given[index(k)], k, s, joint.name.c_str());
          return false;
        }
    }
    return true;
  }
  // An exception (memory that ran out) ends the call; the caller's thread throws it.
  void work(std::size_t thread) {
    Worker& worker = *workers[thread];
    const std::size_t width = index(worker.width), states = current->states;
    try {
      for (;;) {
        std::size_t first = next.fetch_add(share);
        if (first >= states) break;
        for (const std::size_t end = std::min(first + share, states); first < end; first += width)
          worker.run(*current, first, std::min(width, end - first));
      }
      worker.finish(*current);
    } catch (...) {
      if (!has_error.exchange(true)) error = std::current_exception();
      next = states;
    }
  }

  const BatchCall* current = nullptr;
  std::exception_ptr error;
  std::atomic<bool> has_error{false};
  std::atomic<std::size_t> next{0};
  std::size_t share = 0;       // states that a thread takes at a time
  std::unique_ptr<Crew> crew;  // after what its threads use
};

Batch::Batch(std::shared_ptr<const Model> model, std::shared_ptr<const ConstraintSet> constraints,
             const BatchOptions& options)
    : impl_(std::make_unique<BatchImpl>(model, constraints, options)) {}
Batch::~Batch() = default;

Batch::Batch(const Batch& other, Clone) {
  const BatchImpl& from = *other.impl_;
  const WorkspaceImpl& first = from.workers[0]->single.impl();
  impl_ = std::make_unique<BatchImpl>(first.model, first.constraints, from.options);
  impl_->rows->take(*from.rows);
  impl_->robots = std::make_unique<BatchRobots>(*from.robots);
  change([&](Workspace& w) {
    std::copy_n(first.settings->gravity, 3, w.impl().settings->gravity);
    set_coordinates(w, first.coordinates.positions, first.coordinates.velocities);
    copy_guess(first, w.impl());
  });
}

Status Batch::run(const BatchCall& call) {
  return impl_->run(call);
}

void Batch::set_anchors(std::size_t states, const BatchArray& poses) {
  if (states > 0) impl_->rows->set_anchors(states, poses, single_precision());
}
void Batch::set_gains(std::size_t states, const BatchArray& frequencies, const BatchArray& damping_ratios) {
  if (states > 0) impl_->rows->set_gains(states, frequencies, damping_ratios, single_precision());
}
void Batch::set_active(std::size_t states, const BatchArray& active) {
  if (states > 0) impl_->rows->set_active(states, active, single_precision());
}
void Batch::set_anchor(int constraint, const Pose& pose) {
  impl_->rows->set_anchor(constraint, pose);
}

void Batch::set_parameters(std::size_t states, const BatchParameters& given) {
  if (states == 0) return;
  BatchRows::Numbers numbers = impl_->rows->numbers_of(states, given, single_precision());
  impl_->robots->set(states, given, single_precision());
  impl_->rows->commit(std::move(numbers));
}
void Batch::set_gravity(const Vector3& gravity) {
  change([&](Workspace& w) { w.set_gravity(gravity); });
  impl_->robots->forget_gravity();
}

Status Batch::anchor_here(std::size_t states, const BatchArray& q, std::int32_t* status) {
  BatchRows& rows = *impl_->rows;
  BatchCall call;
  call.function = BatchFunction::anchor_here;
  call.states = states, call.q = q, call.status = status;
  call.anchors = rows.anchors_to_set(states);
  const Status worst = run(call);
  if (worst == Status::ok && states > 0) rows.keep_anchors();
  return worst;
}

void Batch::settings(std::size_t states, const BatchSettings& to) const {
  const double* const gravity = impl_->workers[0]->single.impl().settings->gravity;
  impl_->robots->write(states, to, gravity, single_precision());
  impl_->rows->write(states, to, single_precision());
}

const std::vector<SolveReport>& Batch::reports() const noexcept {
  return impl_->reports;
}
bool Batch::keeps_reports() const noexcept {
  return impl_->options.reports;
}

Workspace& Batch::workspace() const {
  return workspace(0);
}
Workspace& Batch::workspace(int thread) const {
  return impl_->workers[index(thread)]->single;
}
int Batch::threads() const noexcept {
  return impl_->options.threads;
}
int Batch::width() const noexcept {
  return impl_->workers[0]->width;
}
Instructions Batch::instructions() const noexcept {
  return impl_->options.instructions;
}
bool Batch::single_precision() const noexcept {
  return impl_->options.single_precision;
}
std::size_t Batch::packed() const noexcept {
  std::size_t sum = 0;
  for (const auto& worker : impl_->workers) sum += worker->packed;
  return sum;
}
std::size_t Batch::bytes() const {
  std::size_t sum = sizeof *impl_ + impl_->rows->bytes() + impl_->robots->bytes() + bytes_of(impl_->reports);
  for (const auto& worker : impl_->workers) sum += worker->bytes();
  return sum;
}
const char* Batch::message() const noexcept {
  return impl_->first_failure ? impl_->first_failure->message : impl_->refusal;
}

}  // namespace tenon
