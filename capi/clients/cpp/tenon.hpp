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
#include <functional>
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

inline std::size_t counted(std::int32_t number) {
  if (number < 0) throw Error(number, "a number is asked of what is closed, or not finished");
  return static_cast<std::size_t>(number);
}

inline std::string named(const char* text) {
  if (text == nullptr) throw Error(TENON_OUT_OF_RANGE, "nothing has this number");
  return text;
}

inline std::int32_t narrow(std::size_t number, const char* what) {
  if (number > INT32_MAX) throw Error(TENON_WRONG_SIZE, std::string(what) + " has more than 31 bits");
  return static_cast<std::int32_t>(number);
}

/* Texts as C has them, as long as these last. */
inline std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> all;
  for (const std::string& text : texts) all.push_back(text.c_str());
  return all;
}

/* Says that what follows is a call that makes an object. */
struct Made {};

/* An object of the library, freed with its last handle, or by close(). */
template <class T>
class Handle {
 public:
  T* get() const { return handle_.get(); }
  void close() { handle_.reset(); }
  /* Of one that must not be closed. */
  const T* open() const {
    if (!handle_) throw Error(TENON_INVALID_ARGUMENT, "this object is closed");
    return get();
  }

 protected:
  Handle() = default;
  /* make(&object, message, message_size) is a call of the library. */
  template <class Make>
  Handle(void (*destroy)(T*), Make&& make) {
    T* object = nullptr;
    checked([&](char* text, std::size_t size) { return make(&object, text, size); });
    handle_.reset(object, destroy);
  }

 private:
  std::shared_ptr<T> handle_;
};

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

/* Options: those that are given, as a struct or its address, or the defaults. */
template <class T>
class Chosen {
 public:
  Chosen(const T* options = nullptr) : options_(options) {}
  Chosen(const T& options) : options_(&options) {}
  const T* get() const { return options_; }

 private:
  const T* options_;
};

/* Contiguous numbers of somebody else. An empty one of no address stands for "none". A list is for arguments only, as in
 * set_gravity({0, 0, -1.6}): it lives as long as the call. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
template <class T>
class Span {
 public:
  Span(std::nullptr_t = nullptr) {}
  Span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  Span(std::initializer_list<std::remove_const_t<T>> list) : Span(list.begin(), list.size()) {}
  template <class C,
            class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C&>().data()), T*> &&
                                     !std::is_base_of_v<Span, std::decay_t<C>>>>
  Span(C&& c) : Span(c.data(), static_cast<std::size_t>(c.size())) {
    if constexpr (detail::IsStrided<std::remove_reference_t<C>>::value) {
      const bool one = c.rows() == 1 || c.cols() == 1;
      if (size_ > 1 && (c.innerStride() != 1 || (!one && c.outerStride() * c.outerSize() != c.size())))
        throw Error(TENON_WRONG_SIZE, "a vector has gaps between its numbers: copy it into a contiguous one");
    }
  }
  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

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
  using Rows = Eigen::Index;
  Eigen::Map<Eigen::MatrixXd> eigen() & {
    return {data(), Rows(rows_), Rows(columns_)};
  }
  Eigen::Map<const Eigen::MatrixXd> eigen() const& {
    return {data(), Rows(rows_), Rows(columns_)};
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

namespace detail {

/* A result of derivatives, column-major: of one that options want row-major the transpose. */
inline Matrix laid(const tenon_derivative_options* options, std::size_t rows, std::size_t columns) {
  const bool turned = options != nullptr && options->row_major != 0;
  return turned ? Matrix(columns, rows) : Matrix(rows, columns);
}

}  // namespace detail

/* A column-major matrix of somebody else: a Matrix, an Eigen matrix or block, or an address with its leading dimension. */
template <class T>
class MatrixSpan {
 public:
  MatrixSpan(std::nullptr_t = nullptr) {}
  MatrixSpan(T* data, std::size_t rows, std::size_t columns, std::size_t leading)
      : data_(data), rows_(rows), columns_(columns), leading_(leading) {}
  template <class M,
            class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<M&>().data()), T*> &&
                                     !std::is_same_v<std::decay_t<M>, MatrixSpan>>,
            class = decltype(std::declval<M&>().cols())>
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
  std::int32_t leading() const { return detail::narrow(leading_ == 0 ? 1 : leading_, "a leading dimension"); }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0, columns_ = 0, leading_ = 0;
};

using InMatrix = MatrixSpan<const double>;
using OutMatrix = MatrixSpan<double>;

namespace detail {

/* Of two matrices that have as many. */
inline std::int32_t columns(const InMatrix& B, const OutMatrix& X) {
  if (B.data() != nullptr && X.data() != nullptr && B.cols() != X.cols())
    throw Error(TENON_WRONG_SIZE,
                "B has " + std::to_string(B.cols()) + " columns, and X " + std::to_string(X.cols()));
  return narrow(B.data() != nullptr ? B.cols() : X.cols(), "the number of columns");
}

}  // namespace detail

/* A link, joint or constraint: by index, or by name. Names are looked up in each call: take an index where calls are
 * many. */
class Which {
 public:
  Which(std::int32_t index) : index_(index) {}
  Which(const char* name) : name_(name) {}
  Which(const std::string& name) : name_(name.c_str()) {}
  /* find(name) tells the index of a name. */
  template <class Find>
  std::int32_t by(Find&& find) const {
    return name_ == nullptr ? index_ : find(name_);
  }

 private:
  const char* name_ = nullptr;
  std::int32_t index_ = -1;
};

/* Numbers of many states: those of one state after those of another; an input of the numbers of one state is the same for
 * all. Or, with strides of its own, `count` numbers of each of `states` states as tenon_batch_array has them: number i of
 * record r of state s is numbers[first + i * number + s * state + r * record], which the library checks. */
template <class T>
class States : public Span<T> {
 public:
  using Span<T>::Span;
  States() = default;
  States(Span<T> numbers) : Span<T>(numbers) {}
  States(Span<T> numbers, std::size_t states, std::size_t count, std::ptrdiff_t number, std::ptrdiff_t state,
         std::ptrdiff_t record = 0, std::size_t first = 0)
      : Span<T>(numbers), strided_(true), states_(states), place_{first, count, number, state, record} {}

  bool given() const { return strided_ || this->data() != nullptr; }
  /* How many states they are of, `count` numbers of each. */
  std::size_t states(const char* what, std::size_t count) const {
    if (strided_) return states_;
    const std::size_t states = count == 0 ? 1 : this->size() / count;
    if (this->size() != states * count)
      throw Error(TENON_WRONG_SIZE, std::string(what) + ": " + std::to_string(this->size()) +
                                        " numbers, not states x " + std::to_string(count) +
                                        ", one state after another");
    return states;
  }

 private:
  template <class Real>
  friend class BatchArray;
  bool strided_ = false;
  std::size_t states_ = 0;
  struct {
    std::size_t first, count;
    std::ptrdiff_t number, state, record;
  } place_ = {0, 0, 1, 0, 0};
};

/* A tenon_batch_array, as calls and the structs of options take it; of no numbers it is NULL. */
template <class Real>
class BatchArray {
 public:
  template <class T>
  BatchArray(const char* what, States<T> x, std::size_t count, std::size_t states, std::size_t records = 1) {
    using Number = std::remove_const_t<T>;
    static_assert(std::is_same_v<Number, Real>, "the numbers of a batch are all of its precision");
    given_ = x.given();
    if (!x.strided_) {
      const bool read = std::is_const_v<T>, same = read && x.size() == count,
                 every = !same && read && x.size() == detail::product({states, count});
      if (given_ && !same && !every && x.size() != detail::product({states, records, count}))
        throw Error(TENON_WRONG_SIZE, std::string(what) + ": " + std::to_string(x.size()) + " numbers; " +
                                          std::to_string(states * records) + " times " +
                                          std::to_string(count) + " are needed");
      const auto state = std::ptrdiff_t(every ? count : detail::product({count, records}));
      x.place_ = {0, count, 1, same ? 0 : state, same || every || records < 2 ? 0 : std::ptrdiff_t(count)};
    } else if (x.states_ != states && x.place_.state != 0) {
      throw Error(TENON_WRONG_SIZE, std::string(what) + " is of " + std::to_string(x.states_) +
                                        " states, not " + std::to_string(states));
    }
    static Real nothing; /* where there are no numbers, which is not to be read */
    detail::checked(tenon_batch_array_init(&array_, sizeof array_), "array");
    array_.data = x.data() != nullptr ? const_cast<Number*>(x.data()) : &nothing;
    array_.size = x.size();
    array_.first = x.place_.first;
    array_.count = x.place_.count;
    array_.number_stride = x.place_.number;
    array_.state_stride = x.place_.state;
    array_.record_stride = x.place_.record;
  }
  operator const tenon_batch_array*() const { return given_ ? &array_ : nullptr; }

 private:
  tenon_batch_array array_;
  bool given_ = false;
};

}  // namespace cpp
}  // namespace tenon

#if !__has_include(<tenon/methods.hpp>)
#error "This checkout lacks what programs write of the C++ layer: run packaging/api/generate.sh."
#endif
#include <tenon/methods.hpp>
/* The objects are made of these. */
#include <tenon/objects.hpp>

#endif
