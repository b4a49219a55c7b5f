/* Models, builders, constraint sets and workspaces: how they are made, and what is not one call. Included by tenon.hpp. */
#ifndef TENON_OBJECTS_HPP
#define TENON_OBJECTS_HPP

namespace tenon {
inline namespace cpp {

/* A robot, immutable. */
class Model : public detail::Handle<tenon_model>, public ModelCalls<Model> {
 public:
  static Model load(const std::string& path, Chosen<tenon_model_options> options = {}) {
    return made([&](tenon_model** m, char* text, std::size_t size) {
      return tenon_model_load_urdf(path.c_str(), options.get(), m, text, size);
    });
  }
  static Model parse(std::string_view urdf, Chosen<tenon_model_options> options = {}) {
    return made([&](tenon_model** m, char* text, std::size_t size) {
      return tenon_model_parse_urdf(urdf.data(), urdf.size(), options.get(), m, text, size);
    });
  }
  /* Of any call that makes a model: call(&model, message, message_size). */
  template <class Call>
  static Model made(Call&& call) {
    return Model(0, std::forward<Call>(call));
  }
  std::int32_t link_index(Which link) const {
    return link.by([&](const char* name) { return find_link(name); });
  }
  std::int32_t joint_index(Which joint) const {
    return joint.by([&](const char* name) { return find_joint(name); });
  }
  /* What the reader noticed and passed over. */
  std::vector<std::string> warnings() const {
    std::vector<std::string> all;
    for (std::int32_t i = 0; i < warning_count(); ++i) all.push_back(warning(i));
    return all;
  }

 private:
  template <class Call>
  Model(int, Call&& call) : Handle(tenon_model_destroy, std::forward<Call>(call)) {}
};

/* phi(q) = 0, from q (nq) and v (nv) of the joints: writes phi (rows), K = d phi / dt by v (rows x nv, column-major) and
 * (dK/dt) v (rows), and returns a status. It is called by all threads that compute. What it throws is
 * TENON_NOT_FINITE. */
using Implicit = std::function<Status(In q, In v, Out phi, Out K, Out Kdot_v)>;

/* A model from calls. */
class Builder : public detail::Handle<tenon_builder>, public BuilderCalls<Builder> {
 public:
  explicit Builder(const std::string& name)
      : Builder([&](tenon_builder** b, char* text, std::size_t size) {
          return tenon_builder_create(name.c_str(), b, text, size);
        }) {}
  static Builder load(const std::string& path, Chosen<tenon_model_options> options = {}) {
    return Builder([&](tenon_builder** b, char* text, std::size_t size) {
      return tenon_builder_load_urdf(path.c_str(), options.get(), b, text, size);
    });
  }
  static Builder parse(std::string_view urdf, Chosen<tenon_model_options> options = {}) {
    return Builder([&](tenon_builder** b, char* text, std::size_t size) {
      return tenon_builder_parse_urdf(urdf.data(), urdf.size(), options.get(), b, text, size);
    });
  }
  /* A constraint that only a function knows, on joints by their names. */
  void add_implicit(const std::string& name, const std::vector<std::string>& joints, std::int32_t rows,
                    Implicit function) {
    auto user = std::make_unique<Implicit>(std::move(function));
    detail::checked([&](char* text, std::size_t size) {
      return tenon_builder_add_implicit(get(), name.c_str(), detail::Texts(joints).data(), joints.size(),
                                        rows, call_back, user.get(), release, text, size);
    });
    user.release(); /* to the library */
  }
  Model finish(Chosen<tenon_model_options> options = {}) const {
    return Model::made([&](tenon_model** m, char* text, std::size_t size) {
      return tenon_builder_finish(get(), options.get(), m, text, size);
    });
  }

 private:
  template <class Make, class = std::enable_if_t<!std::is_convertible_v<Make, std::string>>>
  explicit Builder(Make&& make) : Handle(tenon_builder_destroy, std::forward<Make>(make)) {}
  static Status call_back(void* user, std::int32_t nq, std::int32_t nv, std::int32_t rows, const double* q,
                          const double* v, double* phi, double* K, double* Kdot_v) noexcept {
    const auto n = std::size_t(nq), k = std::size_t(nv), m = std::size_t(rows);
    try {
      return (*static_cast<const Implicit*>(user))(In(q, n), In(v, k), Out(phi, m), Out(K, m * k),
                                                   Out(Kdot_v, m));
    } catch (...) {
      return TENON_NOT_FINITE;
    }
  }
  static void release(void* user) noexcept { delete static_cast<Implicit*>(user); }
};

/* What is held on the links of a model: filled, then finished, by finish() or the first workspace or batch. Each add_...
 * returns the index of the constraint. Copies are the same set. */
class Constraints : public detail::Handle<tenon_constraints>, public ConstraintsCalls<Constraints> {
 public:
  explicit Constraints(const Model& model)
      : Handle(tenon_constraints_destroy,
               [&](tenon_constraints** set, char* text, std::size_t size) {
                 return tenon_constraints_create(model.get(), set, text, size);
               }),
        model_(model) {}
  const Model& model() const { return model_; }
  /* Checks the set and makes it immutable; does nothing the second time. Before threads share it. */
  const Constraints& finish() const {
    if (get() == nullptr || tenon_constraints_row_count(get()) < 0)
      detail::checked(
          [&](char* text, std::size_t size) { return tenon_constraints_finish(get(), text, size); });
    return *this;
  }
  std::int32_t index(Which constraint) const {
    return constraint.by([&](const char* name) { return find_constraint(name); });
  }

 private:
  Model model_;
};

namespace detail {

/* What a workspace and a batch have in common: statuses, the model, and the set, if there is one. */
class Computing {
 public:
  const Model& model() const { return model_; }
  /* false: what returns a status returns negative ones too. What returns a result throws all the same. */
  void exceptions(bool thrown) { exceptions_ = thrown; }
  std::int32_t index(Which constraint) const {
    return constraint.by([&](const char* name) {
      if (!constraints_)
        throw Error(TENON_NOT_FOUND, std::string("there are no constraints, nor one named ") + name);
      return constraints_->find_constraint(name);
    });
  }

 protected:
  explicit Computing(const Model& model) : model_(model) {}
  explicit Computing(const Constraints& set) : model_(set.model()), constraints_(set.finish()) {}
  Model model_;
  std::optional<Constraints> constraints_;
  bool exceptions_ = true;
};

}  // namespace detail

/* One thread at a time. wrenches: 6 for each link, [moment about its origin; force] along link axes; none without. */
class Workspace : public detail::Computing,
                  public detail::Handle<tenon_workspace>,
                  public WorkspaceCalls<Workspace> {
  static auto making(const tenon_model* model, const tenon_constraints* set,
                     Chosen<tenon_workspace_options> options) {
    return [=](tenon_workspace** w, char* text, std::size_t size) {
      return tenon_workspace_create(model, set, options.get(), w, text, size);
    };
  }

 public:
  explicit Workspace(const Model& model, Chosen<tenon_workspace_options> options = {})
      : Computing(model), Handle(tenon_workspace_destroy, making(model.get(), nullptr, options)) {}
  explicit Workspace(const Constraints& set, Chosen<tenon_workspace_options> options = {})
      : Computing(set), Handle(tenon_workspace_destroy, making(set.model().get(), set.open(), options)) {}
  Workspace(const Model& model, const Constraints& set, Chosen<tenon_workspace_options> options = {})
      : Computing(set), Handle(tenon_workspace_destroy, making(model.get(), set.open(), options)) {}
  Workspace(Workspace&&) = default;
  /* Another one, with all that setters said. */
  Workspace clone() const { return Workspace(*this, 0); }
  Workspace& operator=(Workspace&&) = default;

  /* Why the last call failed, "" after a good one. */
  const char* message() const { return tenon_workspace_message(get()); }
  /* The status of the last computation. */
  Status status() const { return status_; }
  Vector zeros() const { return Vector(nv(), 0.0); }
  /* One step in time; q and v are changed in place. integrator: TENON_INTEGRATOR_*. */
  Status step(Out q, Out v, In tau, double dt, In wrenches = {},
              std::int32_t integrator = TENON_INTEGRATOR_SEMI_IMPLICIT_EULER,
              Chosen<tenon_solve_options> options = {}) {
    return integrator == TENON_INTEGRATOR_RUNGE_KUTTA_4
               ? step_runge_kutta_4(dt, q, v, tau, wrenches, options)
               : step_semi_implicit_euler(dt, q, v, tau, wrenches, options);
  }

 private:
  friend class WorkspaceCalls<Workspace>;
  Workspace(const Workspace& other, int)
      : Computing(other),
        Handle(tenon_workspace_destroy, [&](tenon_workspace** w, char* text, std::size_t size) {
          return tenon_workspace_clone(other.get(), w, text, size);
        }) {}
  std::size_t constraint_count() const {
    return detail::counted(constraints_ ? constraints_->count() : Constraints(model_).finish().count());
  }
  Status done(Status status) { return exceptions_ ? sure(status) : status_ = status; }
  Status sure(Status status) const {
    status_ = status;
    if (status < 0) throw Error(status, message());
    return status;
  }
  std::size_t rows_of(Which constraint) const {
    return constraints_ ? detail::counted(constraints_->info(constraint).row_count) : 0;
  }
  /* Numbers of what a conversion writes: another library has every joint. */
  std::size_t converted(bool is_velocity, std::int32_t convention, std::int32_t direction) const {
    if (direction != TENON_DIRECTION_TO_OTHER) return is_velocity ? nv() : nq();
    return is_velocity ? model_.nv() : model_.convention_nq(convention);
  }
  mutable Status status_ = TENON_OK;
};

}  // namespace cpp
}  // namespace tenon

#endif
