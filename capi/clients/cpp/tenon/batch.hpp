/* Batches: many states in one call. Included by tenon.hpp. */
#ifndef TENON_BATCH_HPP
#define TENON_BATCH_HPP

namespace tenon {
inline namespace cpp {

/* Computes what a workspace does, of many states; Real is double, or float for single precision.
 *   Arrays have the numbers of one state after those of another: q is states x nq; States has other ways. An input of the
 * numbers of one state is the same for all. Without joints a state has no numbers, and a call is of one. A state that
 * fails spoils only itself: nothing is written for it, its status() is negative, and the call throws when the others are
 * done, or returns that status after exceptions(false). What is set for many states is for calls of as many. */
template <class Real>
class BasicBatch : public detail::Computing,
                   public detail::Handle<tenon_batch>,
                   public BatchCalls<BasicBatch<Real>, Real> {
  using Calls = BatchCalls<BasicBatch<Real>, Real>;

 public:
  using typename Calls::Array;
  using typename Calls::Input;
  using typename Calls::Numbers;
  using typename Calls::Output;
  using Handle<tenon_batch>::get;
  struct Records {
    Numbers q, v; /* states x records x numbers */
  };
  struct Links {
    Numbers poses, velocities, jacobians; /* states x links x 7, 6, and 6 x nv column by column */
  };

  explicit BasicBatch(const Model& model, BatchOptions options = {})
      : BasicBatch(Constraints(model), options) {}
  explicit BasicBatch(const Constraints& set, BatchOptions options = {})
      : BasicBatch(set.model(), set, options) {}
  BasicBatch(const Model& model, const Constraints& set, BatchOptions options = {})
      : Computing(set),
        Handle<tenon_batch>(tenon_batch_destroy,
                            [&](tenon_batch** b, char* text, std::size_t size) {
                              static_assert(std::is_same_v<Real, double> || std::is_same_v<Real, float>);
                              const bool single = std::is_same_v<Real, float>;
                              options.precision = single ? TENON_PRECISION_SINGLE : TENON_PRECISION_DOUBLE;
                              return tenon_batch_create(model.get(), set.open(), &options, b, text, size);
                            }),
        nq_(set.model().nq()),
        nv_(set.model().nv()),
        m_(set.row_count()),
        constraint_count_(detail::counted(set.count())) {}
  BasicBatch(BasicBatch&&) = default;
  /* Another one, with all that setters said. */
  BasicBatch clone() const { return BasicBatch(*this, 0); }
  BasicBatch& operator=(BasicBatch&&) = default;

  /* Numbers of positions and velocities that computations take, and of rows. */
  std::size_t nq() const { return nq_; }
  std::size_t nv() const { return nv_; }
  std::size_t m() const { return m_; }
  std::size_t constraint_count() const { return constraint_count_; }
  const char* message() const { return tenon_batch_message(get()); }
  /* Of each state of the last call; iterations of constrained dynamics. */
  const std::vector<Status>& status() const { return status_; }
  const std::vector<std::int32_t>& iterations() const { return iterations_; }
  /* TENON_COORDINATES_*. Changes nq and nv. */
  Status set_coordinates(std::int32_t positions, std::int32_t velocities) {
    const Status status = Calls::set_coordinates(positions, velocities);
    if (status < 0) return status;
    nq_ = positions == TENON_COORDINATES_INDEPENDENT ? model_.nyq() : model_.nq();
    nv_ = velocities == TENON_COORDINATES_INDEPENDENT ? model_.ny() : model_.nv();
    return status;
  }
  /* What was set, states x constraints x 7. */
  Status anchors_into(Output poses, std::size_t states) {
    const Array out("poses", poses, detail::product({7, constraint_count_}), states);
    return done(tenon_batch_anchors(get(), states, out));
  }
  Numbers anchors(std::size_t states) {
    Numbers poses(detail::product({states, constraint_count_, 7}));
    sure(tenon_batch_anchors(get(), states, Array("poses", Output(poses), 7 * constraint_count_, states)));
    return poses;
  }
  /* What was set for the robots: states x links x 1, 3 or 6, states x nv, states x 3. What is not wanted stays out. */
  Status robots_into(std::size_t states, Output masses, Output centers_of_mass, Output inertias,
                     Output payload_masses, Output payload_centers_of_mass, Output payload_inertias,
                     Output armatures, Output damping, Output friction, Output gravity) {
    const std::size_t links = detail::counted(model_.link_count()), nv = detail::counted(model_.nv());
    const Array masses_array("masses", masses, links, states);
    const Array centers_of_mass_array("centers_of_mass", centers_of_mass, detail::product({3, links}),
                                      states);
    const Array inertias_array("inertias", inertias, detail::product({6, links}), states);
    const Array payload_masses_array("payload_masses", payload_masses, links, states);
    const Array payload_centers_of_mass_array("payload_centers_of_mass", payload_centers_of_mass,
                                              detail::product({3, links}), states);
    const Array payload_inertias_array("payload_inertias", payload_inertias, detail::product({6, links}),
                                       states);
    const Array armatures_array("armatures", armatures, nv, states);
    const Array damping_array("damping", damping, nv, states);
    const Array friction_array("friction", friction, nv, states);
    const Array gravity_array("gravity", gravity, std::size_t{3}, states);
    return done(tenon_batch_robots(get(), states, masses_array, centers_of_mass_array, inertias_array,
                                   payload_masses_array, payload_centers_of_mass_array,
                                   payload_inertias_array, armatures_array, damping_array, friction_array,
                                   gravity_array));
  }
  struct Robots {
    Numbers masses, centers_of_mass, inertias, payload_masses, payload_centers_of_mass, payload_inertias,
        armatures, damping, friction, gravity;
  };
  Robots robots(std::size_t states) {
    const std::size_t links = detail::counted(model_.link_count()), nv = detail::counted(model_.nv());
    Robots out;
    out.masses.resize(detail::product({states, links}));
    out.centers_of_mass.resize(detail::product({states, detail::product({3, links})}));
    out.inertias.resize(detail::product({states, detail::product({6, links})}));
    out.payload_masses.resize(detail::product({states, links}));
    out.payload_centers_of_mass.resize(detail::product({states, detail::product({3, links})}));
    out.payload_inertias.resize(detail::product({states, detail::product({6, links})}));
    out.armatures.resize(detail::product({states, nv}));
    out.damping.resize(detail::product({states, nv}));
    out.friction.resize(detail::product({states, nv}));
    out.gravity.resize(detail::product({states, std::size_t{3}}));
    sure(robots_into(states, out.masses, out.centers_of_mass, out.inertias, out.payload_masses,
                     out.payload_centers_of_mass, out.payload_inertias, out.armatures, out.damping,
                     out.friction, out.gravity));
    return out;
  }
  /* And for the constraints: states x constraints x 1 or 7, states x m. What is not wanted stays out. */
  Status constraints_into(std::size_t states, Output active, Output frequencies, Output damping_ratios,
                          Output anchors, Output frames, Output weights, Output compliance) {
    const Array active_array("active", active, constraint_count_, states);
    const Array frequencies_array("frequencies", frequencies, constraint_count_, states);
    const Array damping_ratios_array("damping_ratios", damping_ratios, constraint_count_, states);
    const Array anchors_array("anchors", anchors, detail::product({7, constraint_count_}), states);
    const Array frames_array("frames", frames, detail::product({7, constraint_count_}), states);
    const Array weights_array("weights", weights, m_, states);
    const Array compliance_array("compliance", compliance, m_, states);
    return done(tenon_batch_constraints(get(), states, active_array, frequencies_array, damping_ratios_array,
                                        anchors_array, frames_array, weights_array, compliance_array));
  }
  struct Settings {
    Numbers active, frequencies, damping_ratios, anchors, frames, weights, compliance;
  };
  Settings constraints(std::size_t states) {
    Settings out;
    out.active.resize(detail::product({states, constraint_count_}));
    out.frequencies.resize(detail::product({states, constraint_count_}));
    out.damping_ratios.resize(detail::product({states, constraint_count_}));
    out.anchors.resize(detail::product({states, detail::product({7, constraint_count_})}));
    out.frames.resize(detail::product({states, detail::product({7, constraint_count_})}));
    out.weights.resize(detail::product({states, m_}));
    out.compliance.resize(detail::product({states, m_}));
    sure(constraints_into(states, out.active, out.frequencies, out.damping_ratios, out.anchors, out.frames,
                          out.weights, out.compliance));
    return out;
  }
  /* states x constraints. damping_ratios: 1 without. */
  Status set_gains(Input frequencies, Input damping_ratios = {}) {
    const std::size_t n = frequencies.states("frequencies", constraint_count_);
    const Numbers ones(constraint_count_, Real(1));
    const Array f("frequencies", frequencies, constraint_count_, n),
        r("damping_ratios", damping_ratios, constraint_count_, n),
        one("damping_ratios", Input(ones), constraint_count_, n);
    const bool given = static_cast<const tenon_batch_array*>(r) != nullptr;
    return done(tenon_batch_set_gains(get(), n, f, given ? r : one));
  }
  /* Of links, by index: what is not wanted stays out. */
  Status kinematics_into(Output poses, Output velocities, Output jacobians, Input q,
                         Span<const std::int32_t> links, Input v = {}, std::int32_t axes = TENON_AXES_WORLD) {
    const std::size_t n = begin("q", q, nq_), count = links.size();
    const Array x("q", q, nq_, n), y("v", v, nv_, n), p("poses", poses, detail::product({7, count}), n),
        w("velocities", velocities, detail::product({6, count}), n),
        j("jacobians", jacobians, detail::product({6, nv_, count}), n);
    return done(tenon_batch_kinematics(get(), n, links.data(), count, axes, x, y, p, w, j, status_.data(),
                                       status_.size()));
  }
  Links kinematics(Input q, Span<const std::int32_t> links, Input v, std::int32_t axes = TENON_AXES_WORLD) {
    const std::size_t n = q.states("q", nq_), count = links.size();
    Links out{Numbers(detail::product({n, count, 7})), Numbers(detail::product({n, count, 6})),
              Numbers(detail::product({n, count, 6, nv_}))};
    kinematics_into(out.poses, out.velocities, out.jacobians, q, links, v, axes);
    return out;
  }
  /* B and X: states x columns x m. */
  Status delassus_inverse_times_into(Output X, Input q, Input B, std::int32_t columns = 1,
                                     Chosen<tenon_damped_options> options = {}) {
    const std::size_t n = begin("q", q, nq_), count = detail::product({m_, detail::counted(columns)});
    const Array x("q", q, nq_, n), b("B", B, count, n), out("X", X, count, n);
    return done(tenon_batch_delassus_inverse_times(get(), options.get(), n, columns, x, b, out,
                                                   status_.data(), status_.size()));
  }
  Numbers delassus_inverse_times(Input q, Input B, std::int32_t columns = 1,
                                 Chosen<tenon_damped_options> options = {}) {
    Numbers X(detail::product({q.states("q", nq_), m_, detail::counted(columns)}));
    delassus_inverse_times_into(X, q, B, columns, options);
    return X;
  }
  /* options.steps steps in time; a record after each options.every. tau, wrenches: the same in all steps, or of each. */
  Status rollout_into(Output q_out, Output v_out, Input q, Input v, Input tau,
                      const tenon_rollout_options& options, Input wrenches = {}) {
    const std::size_t n = begin("q", q, nq_),
                      records = options.steps / (options.every == 0 ? 1 : options.every);
    const std::size_t links = detail::counted(model_.link_count());
    const Array x("q", q, nq_, n), y("v", v, nv_, n), z("tau", tau, nv_, n, options.steps),
        w("wrenches", wrenches, detail::product({6, links}), n, options.steps),
        to_q("q", q_out, nq_, n, records), to_v("v", v_out, nv_, n, records);
    return done(
        tenon_batch_rollout(get(), &options, n, x, y, z, w, to_q, to_v, status_.data(), status_.size()));
  }
  Records rollout(Input q, Input v, Input tau, const tenon_rollout_options& options, Input wrenches = {}) {
    const std::size_t n = q.states("q", nq_),
                      records = options.steps / (options.every == 0 ? 1 : options.every);
    Records all{Numbers(detail::product({n, records, nq_})), Numbers(detail::product({n, records, nv_}))};
    rollout_into(all.q, all.v, q, v, tau, options, wrenches);
    return all;
  }

 private:
  friend class BatchCalls<BasicBatch<Real>, Real>;
  BasicBatch(const BasicBatch& other, int)
      : Computing(other),
        Handle<tenon_batch>(tenon_batch_destroy,
                            [&](tenon_batch** b, char* text, std::size_t size) {
                              return tenon_batch_clone(other.get(), b, text, size);
                            }),
        nq_(other.nq_),
        nv_(other.nv_),
        m_(other.m_),
        constraint_count_(other.constraint_count_) {}
  static std::size_t states(const char* what, const Input& x, std::size_t count) {
    return x.states(what, count);
  }
  std::size_t begin(const char* what, const Input& x, std::size_t count) {
    status_.assign(x.states(what, count), TENON_OK);
    iterations_.assign(status_.size(), 0);
    return status_.size();
  }
  std::size_t triangle() const { return detail::product({nv_, nv_ + 1}) / 2; }
  Status done(Status status) { return exceptions_ ? sure(status) : status; }
  Status sure(Status status) const {
    if (status < 0) throw Error(status, message());
    return status;
  }
  std::size_t nq_, nv_, m_, constraint_count_;
  std::vector<Status> status_;
  std::vector<std::int32_t> iterations_;
};

using Batch = BasicBatch<double>;
using FloatBatch = BasicBatch<float>;

}  // namespace cpp
}  // namespace tenon

#endif
