/* tenon.hpp: Tenon for C++17, a header alone over tenon.h, which is the manual of every call.
 *
 *     #include <tenon.hpp>
 *
 *     tenon::ModelOptions options;
 *     options.base = TENON_BASE_FLOATING;
 *     const tenon::Model robot = tenon::Model::load("atlas.urdf", options);
 *     tenon::Constraints feet(robot);
 *     feet.add_weld("l_foot");
 *     feet.add_weld("r_foot");
 *     tenon::Workspace work(robot, feet);
 *     const tenon::Motion motion = work.constrained_dynamics(work.random(1), work.zeros(), work.zeros());
 *
 * Models and constraint sets are handles: copies are cheap and share what is immutable, by any number of threads. A
 * workspace and a batch belong to one thread at a time; they move and do not copy.
 *   What fails throws tenon::Error. Of each computation there are two forms: one returns its result, in new memory; one,
 * its name ending in _into, writes into spans of the caller first and returns the status, 0 or a caveat, without
 * allocation. After workspace.exceptions(false) that form returns negative statuses too instead of throwing, and
 * message() tells why.
 *   Spans are made of whatever has data() and size(): std::vector, std::array, std::span, Eigen vectors. Where Eigen is
 * included before, matrix.eigen() and tenon::eigen(vector) are maps of what has a name, and Eigen matrices are outputs as they are. */
#ifndef TENON_HPP
#define TENON_HPP

#include <tenon.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon {
/* Its names are not those of the classes inside a static library, whose namespace is tenon too. */
inline namespace cpp {

using Status = tenon_status;
using Vector = std::vector<double>;

/* A call that failed: nothing was written. what() begins with the name of the status. */
class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message)
      : std::runtime_error(std::string(tenon_status_string(status)) + ": " + message), status_(status) {}
  Status status() const noexcept { return status_; }

 private:
  Status status_;
};

inline std::string version() {
  return tenon_version_string();
}

namespace detail {

/* A call that takes a message at its end. */
template <class Call>
Status checked(Call&& call) {
  char message[1024] = "";
  const Status status = call(message, sizeof message);
  if (status < 0) throw Error(status, message);
  return status;
}

inline void checked(Status status, const char* what) {
  if (status < 0) throw Error(status, what);
}

/* The product of sizes of doubles. One that wraps would be small, and what is written after it not. */
inline std::size_t product(std::initializer_list<std::size_t> sizes) {
  std::size_t all = 1;
  for (const std::size_t size : sizes) {
    if (size != 0 && all > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(double) / size) {
      std::string words;
      for (const std::size_t each : sizes) words += (words.empty() ? "" : " x ") + std::to_string(each);
      throw Error(TENON_OUT_OF_MEMORY, words + " numbers are more than any memory has");
    }
    all *= size;
  }
  return all;
}

template <class T, class = void>
struct IsStrided : std::false_type {};
template <class T>
struct IsStrided<
    T, std::void_t<decltype(std::declval<T&>().innerStride()), decltype(std::declval<T&>().outerStride())>>
    : std::true_type {};

/* The smaller struct that a newer header knows is completed by the library: each begins with its defaults. */
template <class T, Status (*init)(T*, std::size_t)>
struct Prepared : T {
  Prepared() : T() { checked(init(this, sizeof(T)), "options"); }
};

}  // namespace detail

using ModelOptions = detail::Prepared<tenon_model_options, tenon_model_options_init>;
using JointOptions = detail::Prepared<tenon_joint_options, tenon_joint_options_init>;
using LoopOptions = detail::Prepared<tenon_loop_options, tenon_loop_options_init>;
using ConstraintOptions = detail::Prepared<tenon_constraint_options, tenon_constraint_options_init>;
using WorkspaceOptions = detail::Prepared<tenon_workspace_options, tenon_workspace_options_init>;
using ProjectionOptions = detail::Prepared<tenon_projection_options, tenon_projection_options_init>;
using SolveOptions = detail::Prepared<tenon_solve_options, tenon_solve_options_init>;
using DelassusOptions = detail::Prepared<tenon_delassus_options, tenon_delassus_options_init>;
using DampedOptions = detail::Prepared<tenon_damped_options, tenon_damped_options_init>;
using BatchOptions = detail::Prepared<tenon_batch_options, tenon_batch_options_init>;
using RolloutOptions = detail::Prepared<tenon_rollout_options, tenon_rollout_options_init>;
using LinkInfo = detail::Prepared<tenon_link_info, tenon_link_info_init>;
using JointInfo = detail::Prepared<tenon_joint_info, tenon_joint_info_init>;
using ConstraintInfo = detail::Prepared<tenon_constraint_info, tenon_constraint_info_init>;
using SolveReport = detail::Prepared<tenon_solve_report, tenon_solve_report_init>;

/* Contiguous numbers of somebody else. An empty one of no address stands for "none". */
template <class T>
class Span {
 public:
  Span() = default;
  Span(std::nullptr_t) {}
  Span(T* data, std::size_t size) : data_(data), size_(size) {}
  /* For arguments only, as in set_gravity({0, 0, -1.6}): the list lives as long as the call. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  Span(std::initializer_list<std::remove_const_t<T>> list) : data_(list.begin()), size_(list.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  template <class C,
            class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C&>().data()), T*> &&
                                     !std::is_same_v<std::decay_t<C>, Span>>>
  Span(C&& c) : data_(c.data()), size_(static_cast<std::size_t>(c.size())) {
    if constexpr (detail::IsStrided<std::remove_reference_t<C>>::value) {
      const bool one = c.rows() == 1 || c.cols() == 1;
      if (size_ > 1 && (c.innerStride() != 1 || (!one && c.outerStride() * c.outerSize() != c.size())))
        throw Error(TENON_WRONG_SIZE, "a vector has gaps between its numbers: copy it into a contiguous one");
    }
  }
  T* data() const {
    return data_;
  }
  std::size_t size() const {
    return size_;
  }
  bool empty() const {
    return size_ == 0;
  }
  T* begin() const {
    return data_;
  }
  T* end() const {
    return data_ + size_;
  }
  T& operator[](std::size_t i) const {
    return data_[i];
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

using In = Span<const double>;
using Out = Span<double>;

/* A column-major result. */
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), numbers_(detail::product({rows, columns})) {}
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return columns_; }
  std::size_t size() const { return numbers_.size(); }
  double* data() { return numbers_.data(); }
  const double* data() const { return numbers_.data(); }
  double& operator()(std::size_t i, std::size_t j) { return numbers_[i + j * rows_]; }
  double operator()(std::size_t i, std::size_t j) const { return numbers_[i + j * rows_]; }
#ifdef EIGEN_WORLD_VERSION
  /* A map of this matrix, which must stay: give it a name, auto M = work.mass_matrix(q), then M.eigen(). */
  Eigen::Map<Eigen::MatrixXd> eigen() & {
    return {data(), static_cast<Eigen::Index>(rows_), static_cast<Eigen::Index>(columns_)};
  }
  Eigen::Map<const Eigen::MatrixXd> eigen() const& {
    return {data(), static_cast<Eigen::Index>(rows_), static_cast<Eigen::Index>(columns_)};
  }
  void eigen() const&& = delete;
#endif

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<double> numbers_;
};

#ifdef EIGEN_WORLD_VERSION
inline Eigen::Map<Eigen::VectorXd> eigen(Vector& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}
inline Eigen::Map<const Eigen::VectorXd> eigen(const Vector& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}
void eigen(const Vector&& v) = delete; /* it would be gone: give it a name */
#endif

/* A column-major matrix of somebody else: a Matrix, an Eigen matrix or block, or an address with its leading dimension. */
template <class T>
class MatrixSpan {
 public:
  MatrixSpan(T* data, std::size_t rows, std::size_t columns, std::size_t leading)
      : data_(data), rows_(rows), columns_(columns), leading_(leading) {}
  template <class M,
            class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<M&>().data()), T*> &&
                                     !std::is_same_v<std::decay_t<M>, MatrixSpan>>>
  MatrixSpan(M&& m)
      : MatrixSpan(m.data(), std::size_t(m.rows()), std::size_t(m.cols()), std::size_t(m.rows())) {
    if constexpr (detail::IsStrided<std::remove_reference_t<M>>::value) {
      static_assert(!std::decay_t<M>::IsRowMajor || std::decay_t<M>::IsVectorAtCompileTime,
                    "matrices are column-major");
      if (m.innerStride() != 1 && m.rows() > 1)
        throw Error(TENON_WRONG_SIZE, "a column has gaps between its numbers");
      if (m.cols() > 1)
        leading_ = std::size_t(std::decay_t<M>::IsRowMajor ? m.innerStride() : m.outerStride());
    }
  }
  T* data() const { return data_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return columns_; }
  std::size_t count() const {
    return columns_ == 0 || rows_ == 0 ? 0 : detail::product({leading_, columns_ - 1}) + rows_;
  }
  std::int32_t leading() const {
    if (leading_ > INT32_MAX) throw Error(TENON_WRONG_SIZE, "a leading dimension has more than 31 bits");
    return static_cast<std::int32_t>(leading_ == 0 ? 1 : leading_);
  }

 private:
  T* data_;
  std::size_t rows_, columns_, leading_;
};

using InMatrix = MatrixSpan<const double>;
using OutMatrix = MatrixSpan<double>;

/* A link, joint or constraint: by index, or by name. Names are looked up in each call: take an index where calls are
 * many. */
class Which {
 public:
  Which(std::int32_t index) : index_(index) {}
  Which(const char* name) : name_(name) {}
  Which(const std::string& name) : name_(name.c_str()) {}
  template <class T, class Find>
  std::int32_t in(const T* object, Find find) const {
    if (name_ == nullptr) return index_;
    std::int32_t index = -1;
    detail::checked([&](char* text, std::size_t size) { return find(object, name_, &index, text, size); });
    return index;
  }

 private:
  const char* name_ = nullptr;
  std::int32_t index_ = -1;
};

/* A robot, immutable. */
class Model {
 public:
  static Model load(const std::string& path, const ModelOptions& options = {}) {
    return made([&](tenon_model** m, char* text, std::size_t size) {
      return tenon_model_load_urdf(path.c_str(), &options, m, text, size);
    });
  }
  static Model parse(std::string_view urdf, const ModelOptions& options = {}) {
    return made([&](tenon_model** m, char* text, std::size_t size) {
      return tenon_model_parse_urdf(urdf.data(), urdf.size(), &options, m, text, size);
    });
  }
  /* Of any call that makes a model: call(&model, message, message_size). */
  template <class Call>
  static Model made(Call&& call) {
    tenon_model* model = nullptr;
    detail::checked([&](char* text, std::size_t size) { return call(&model, text, size); });
    return Model(model);
  }

  const tenon_model* get() const { return handle_.get(); }
  std::string name() const { return tenon_model_name(get()); }
  std::size_t nq() const { return std::size_t(tenon_model_nq(get())); }
  std::size_t nv() const { return std::size_t(tenon_model_nv(get())); }
  std::size_t nyq() const { return std::size_t(tenon_model_nyq(get())); }
  std::size_t ny() const { return std::size_t(tenon_model_ny(get())); }
  std::int32_t link_count() const { return tenon_model_link_count(get()); }
  std::int32_t joint_count() const { return tenon_model_joint_count(get()); }
  std::int32_t body_count() const { return tenon_model_body_count(get()); }
  std::int32_t loop_count() const { return tenon_model_loop_count(get()); }
  std::int32_t depth() const { return tenon_model_depth(get()); }
  bool floating_base() const { return tenon_model_floating_base(get()) == 1; }
  double total_mass() const { return tenon_model_total_mass(get()); }

  std::int32_t link_index(Which link) const { return link.in(get(), tenon_model_find_link); }
  std::int32_t joint_index(Which joint) const { return joint.in(get(), tenon_model_find_joint); }
  std::string link_name(std::int32_t i) const { return named(tenon_model_link_name(get(), i), "link"); }
  std::string joint_name(std::int32_t i) const { return named(tenon_model_joint_name(get(), i), "joint"); }
  LinkInfo link(Which which) const {
    LinkInfo info;
    detail::checked(tenon_model_link_info(get(), link_index(which), &info), "no link has this number");
    return info;
  }
  JointInfo joint(Which which) const {
    JointInfo info;
    detail::checked(tenon_model_joint_info(get(), joint_index(which), &info), "no joint has this number");
    return info;
  }
  /* The tree as indented text. */
  std::string describe() const {
    std::size_t needed = 0;
    detail::checked(tenon_model_describe(get(), nullptr, 0, &needed), "describe");
    std::string text(needed, '\0');
    detail::checked(tenon_model_describe(get(), text.data(), text.size(), nullptr), "describe");
    text.resize(needed - 1);
    return text;
  }
  /* What the reader noticed and passed over. */
  std::vector<std::string> warnings() const {
    std::vector<std::string> all;
    for (std::int32_t i = 0; i < tenon_model_warning_count(get()); ++i)
      all.emplace_back(tenon_model_warning(get(), i));
    return all;
  }

 private:
  explicit Model(tenon_model* model) : handle_(model, tenon_model_destroy) {}
  static std::string named(const char* name, const char* kind) {
    if (name == nullptr) throw Error(TENON_OUT_OF_RANGE, std::string("no ") + kind + " has this number");
    return name;
  }
  std::shared_ptr<const tenon_model> handle_;
};

/* A model from calls. */
class Builder {
 public:
  explicit Builder(const std::string& name) {
    tenon_builder* builder = nullptr;
    call(tenon_builder_create, name.c_str(), &builder);
    handle_.reset(builder);
  }
  tenon_builder* get() const { return handle_.get(); }
  std::int32_t add_link(const std::string& name, double mass, In center_of_mass = {}, In inertia = {}) {
    std::int32_t index = -1;
    call(tenon_builder_add_link, get(), name.c_str(), mass, center_of_mass.data(), center_of_mass.size(),
         inertia.data(), inertia.size(), &index);
    return index;
  }
  void add_joint(const std::string& name, const JointOptions& options) {
    call(tenon_builder_add_joint, get(), name.c_str(), &options);
  }
  void add_frame(const std::string& name, std::int32_t link, In pose = {}) {
    call(tenon_builder_add_frame, get(), name.c_str(), link, pose.data(), pose.size());
  }
  void add_loop(const std::string& name, const LoopOptions& options) {
    call(tenon_builder_add_loop, get(), name.c_str(), &options);
  }
  void add_gear(const std::string& name, std::int32_t link, std::int32_t second_link, double ratio,
                double offset = 0) {
    call(tenon_builder_add_gear, get(), name.c_str(), link, second_link, ratio, offset);
  }
  Model finish(const ModelOptions& options = {}) const {
    return Model::made([&](tenon_model** m, char* text, std::size_t size) {
      return tenon_builder_finish(get(), &options, m, text, size);
    });
  }

 private:
  template <class F, class... A>
  static void call(F function, A&&... arguments) {
    detail::checked([&](char* text, std::size_t size) { return function(arguments..., text, size); });
  }
  struct Destroy {
    void operator()(tenon_builder* builder) const { tenon_builder_destroy(builder); }
  };
  std::unique_ptr<tenon_builder, Destroy> handle_;
};

/* What is held on the links of a model: filled, then finished, by finish() or the first workspace or batch. Each add_...
 * returns the index of the constraint. Copies are the same set. */
class Constraints {
 public:
  explicit Constraints(const Model& model) : model_(model) {
    tenon_constraints* set = nullptr;
    call(tenon_constraints_create, model.get(), &set);
    set_->handle.reset(set);
  }
  tenon_constraints* get() const { return set_->handle.get(); }
  const Model& model() const { return model_; }
  /* A point of a link, 3, m, in the link; its origin without. */
  std::int32_t add_point(Which link, In point = {}, const ConstraintOptions& options = {}) {
    return added(tenon_constraints_add_point, model_.link_index(link), point.data(), point.size(), &options);
  }
  /* A frame of a link, pose of 7 in the link; the link's without. options.rows picks some of the six. */
  std::int32_t add_weld(Which link, In pose = {}, const ConstraintOptions& options = {}) {
    return added(tenon_constraints_add_weld, model_.link_index(link), pose.data(), pose.size(), &options);
  }
  /* K a = k with the spatial acceleration a of the link in its frame; K has 6 columns. */
  std::int32_t add_rows(Which link, InMatrix K, const ConstraintOptions& options = {}) {
    if (K.cols() != 6) throw Error(TENON_WRONG_SIZE, "K of rows needs 6 columns, [angular; linear]");
    return added(tenon_constraints_add_rows, model_.link_index(link), std::int32_t(K.rows()), K.data(),
                 K.count(), K.leading(), &options);
  }
  /* Keeps a frame of one link together with one of a second link, or of the world: TENON_WORLD. */
  std::int32_t add_closure(Which link, Which second, In pose = {}, In second_pose = {},
                           const ConstraintOptions& options = {}) {
    return added(tenon_constraints_add_closure, model_.link_index(link), pose.data(), pose.size(),
                 model_.link_index(second), second_pose.data(), second_pose.size(), &options);
  }
  /* Checks the set and makes it immutable; does nothing the second time. Before threads share it. */
  const Constraints& finish() const {
    if (!set_->finished) call(tenon_constraints_finish, get());
    set_->finished = true;
    return *this;
  }
  std::int32_t count() const { return tenon_constraints_constraint_count(get()); }
  std::size_t row_count() const { return std::size_t(tenon_constraints_row_count(finish().get())); }
  std::int32_t index(Which constraint) const {
    return constraint.in(get(), tenon_constraints_find_constraint);
  }
  ConstraintInfo info(Which constraint) const {
    ConstraintInfo info;
    detail::checked(tenon_constraints_constraint_info(finish().get(), index(constraint), &info),
                    "no such constraint");
    return info;
  }

 private:
  template <class F, class... A>
  static void call(F function, A... arguments) {
    detail::checked([&](char* text, std::size_t size) { return function(arguments..., text, size); });
  }
  template <class F, class... A>
  std::int32_t added(F function, A... arguments) {
    std::int32_t index = -1;
    call(function, get(), arguments..., &index);
    return index;
  }
  struct Destroy {
    void operator()(tenon_constraints* constraints) const { tenon_constraints_destroy(constraints); }
  };
  struct Set {
    std::unique_ptr<tenon_constraints, Destroy> handle;
    bool finished = false;
  };
  Model model_;
  std::shared_ptr<Set> set_ = std::make_shared<Set>();
};

}  // namespace cpp
}  // namespace tenon

#include <tenon/batch.hpp>
#include <tenon/workspace.hpp>

#endif
