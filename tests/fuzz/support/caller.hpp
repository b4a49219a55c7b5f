// Calls with arrays of their exact size, so that a sanitizer sees every access beside them, and what tenon.h
// promises of every call on a workspace:
//   an array whose count does not fit, or NULL where a value is needed: refused
//   a negative status: nothing was written, and a message says why; none after TENON_OK
//   any other: everything was written, all of it finite, nothing between the columns of a matrix
//   never TENON_INTERNAL_ERROR
// Arguments are told by descriptions (In, Out, ...) and drawn in their order, whatever order a compiler takes.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "support/input.hpp"
#include "tenon.h"

namespace tenon::fuzz {

// Numbers that are read; `optional`: NULL may stand for them.
struct In {
  const std::vector<double>& values;
  bool optional = false;
};
struct Out {
  std::size_t count;
  bool optional = false;
};
// Numbers that are read and written.
struct Changed {
  const std::vector<double>& values;
  bool optional = false;
};
// With a leading dimension, column-major where the options of a call do not say otherwise; values: of a matrix that is
// read, column by column.
struct Matrix {
  std::size_t rows, columns;
  const std::vector<double>* values = nullptr;
  bool optional = false;
};

template <class T>
struct Freed {
  void operator()(T* at) const { std::free(at); }
};
template <class T>
using Exact = std::unique_ptr<T[], Freed<T>>;
template <class T>
Exact<T> exact(std::size_t count) {
  return Exact<T>(static_cast<T*>(std::malloc(count * sizeof(T))));
}

// What stands in arrays before they are written.
inline constexpr double untouched = -5.25e-201;
inline bool is_untouched(double x) {
  return std::memcmp(&x, &untouched, sizeof x) == 0;
}

// A struct of options: given(true) fields are set by `set`, its size is now and then another one.
template <class T>
class Struct {
 public:
  template <class Set>
  Struct(Input& in, tenon_status (*init)(T*, std::size_t), const Set& set) {
    if (in.once_in(4)) return;  // NULL: the defaults
    T whole;
    init(&whole, sizeof whole);
    set(whole);
    std::size_t size = sizeof whole;
    bool foreign = false;
    if (in.once_in(16)) {
      constexpr std::size_t sizes[] = {0,
                                       4,
                                       7,
                                       8,
                                       12,
                                       16,
                                       20,
                                       sizeof(T) - 4,
                                       sizeof(T) - 1,
                                       sizeof(T) + 4,
                                       sizeof(T) + 8,
                                       256,
                                       4096,
                                       4097,
                                       65536,
                                       UINT32_MAX};
      size = sizes[in.below(std::size(sizes))];
      foreign = size > sizeof(T) && size <= 4096 && in.once_in(4);
    }
    refused_ = size < 8 || size > 4096 || foreign;
    // Of a size that is none, nothing but the size may be read.
    const std::size_t bytes = size < 8 || size > 4096 ? sizeof(std::uint32_t) : size;
    bytes_ = exact<unsigned char>(bytes);
    whole.struct_size = static_cast<std::uint32_t>(size);
    std::memset(bytes_.get(), 0, bytes);
    std::memcpy(bytes_.get(), &whole, bytes < sizeof whole ? bytes : sizeof whole);
    if (foreign) bytes_[bytes - 1] = 1;
  }
  const T* get() const { return reinterpret_cast<const T*>(bytes_.get()); }
  bool refused() const { return refused_; }

 private:
  Exact<unsigned char> bytes_;
  bool refused_ = false;
};

class Caller {
 public:
  explicit Caller(Input& in) : in_(in) {}

  // message: of the object, after the call. `quiet`: the call gives none by its text in tenon.h.
  template <class Object, class Message, class F, class... A>
  tenon_status call(const char* name, Object* object, const Message& message, F f, const A&... a) {
    wrong_ = false, row_major_ = (... || rows_first(a));
    std::tuple<decltype(draw(a))...> drawn{draw(a)...};
    const auto arguments =
        std::apply([](auto&... each) { return std::tuple_cat(each.arguments()...); }, drawn);
    const tenon_status status =
        std::apply([&](auto... each) { return static_cast<tenon_status>(f(object, each...)); }, arguments);
    DEMAND(status != TENON_INTERNAL_ERROR, "%s: %s", name, message(object));
    DEMAND(status < 0 || !wrong_, "%s took what does not fit", name);
    std::apply([&](auto&... each) { (each.check(name, status), ...); }, drawn);
    const bool told = message(object)[0] != '\0';
    DEMAND(status > 0 || told == (status < 0), "%s: status %d, message '%s'", name, status, message(object));
    return status;
  }

 private:
  // Any other argument, as it is.
  template <class T>
  struct Plain {
    T value;
    std::tuple<T> arguments() const { return {value}; }
    void check(const char*, tenon_status) const {}
  };

  struct Vector {
    Exact<double> at, before;
    std::size_t said = 0, held = 0;
    bool written = false;
    std::tuple<double*, std::size_t> arguments() const { return {at.get(), said}; }
    void check(const char* name, tenon_status status) const {
      for (std::size_t i = 0; at && i < held; ++i) {
        if (!written || status < 0)
          DEMAND(std::memcmp(&at[i], &before[i], sizeof(double)) == 0,
                 "%s: status %d, but number %zu of %zu is now %g", name, status, i, held, at[i]);
        else
          DEMAND(std::isfinite(at[i]) && !is_untouched(at[i]), "%s: status %d, but number %zu of %zu is %g",
                 name, status, i, held, at[i]);
      }
    }
  };

  struct Columns {
    Exact<double> at;
    std::size_t rows = 0, columns = 0, said = 0, held = 0;
    std::int32_t ld = 0;
    bool written = false, row_major = false;
    std::tuple<double*, std::size_t, std::int32_t> arguments() const { return {at.get(), said, ld}; }
    void check(const char* name, tenon_status status) const {
      for (std::size_t i = 0; at && written && i < held; ++i) {
        const std::size_t line = row_major ? columns : rows, lines = row_major ? rows : columns,
                          apart = ld > 0 ? static_cast<std::size_t>(ld) : 1;
        const bool between = ld <= 0 || i % apart >= line || i / apart >= lines;
        if (between || status < 0)
          DEMAND(is_untouched(at[i]), "%s: status %d, but number %zu (leading dimension %d) is now %g", name,
                 status, i, ld, at[i]);
        else
          DEMAND(std::isfinite(at[i]) && !is_untouched(at[i]), "%s: status %d, but number %zu is %g", name,
                 status, i, at[i]);
      }
    }
  };

  static bool rows_first(const tenon_derivative_options* options) { return options && options->row_major; }
  template <class T>
  static bool rows_first(const T&) {
    return false;
  }

  template <class T>
  std::enable_if_t<std::is_scalar_v<T>, Plain<T>> draw(const T& value) {
    return {value};
  }
  template <class T>
  Plain<const T*> draw(const Struct<T>& options) {
    wrong_ |= options.refused();
    return {options.get()};
  }

  // How many numbers an array is said to have.
  std::size_t said(std::size_t needed) {
    if (!in_.once_in(64)) return needed;
    const std::size_t others[] = {0, needed - 1, needed + 1, 2 * needed + 1, SIZE_MAX};
    return others[in_.below(5)];
  }

  Vector vector(const double* values, std::size_t count, bool optional, bool written) {
    Vector v;
    v.written = written;
    v.said = said(count);
    if (in_.once_in(optional ? 4 : 128)) {
      wrong_ |= !optional && count > 0;
      return v;
    }
    wrong_ |= v.said != count;
    v.held = v.said < count ? v.said : count;
    v.at = exact<double>(v.held), v.before = exact<double>(v.held);
    for (std::size_t i = 0; i < v.held; ++i) v.at[i] = v.before[i] = values ? values[i] : untouched;
    return v;
  }
  Vector draw(const In& in) { return vector(in.values.data(), in.values.size(), in.optional, false); }
  Vector draw(const Changed& in) { return vector(in.values.data(), in.values.size(), in.optional, true); }
  Vector draw(const Out& out) { return vector(nullptr, out.count, out.optional, true); }

  Columns draw(const Matrix& m) {
    Columns c;
    c.rows = m.rows, c.columns = m.columns, c.written = m.values == nullptr, c.row_major = row_major_;
    const bool empty = m.rows * m.columns == 0;
    const int gap = in_.once_in(4) ? in_.below(4) : 0;
    c.ld = static_cast<std::int32_t>(m.rows) + gap;
    const std::size_t needed = empty ? 0 : static_cast<std::size_t>(c.ld) * (m.columns - 1) + m.rows;
    c.said = needed;
    if (in_.once_in(m.optional ? 4 : 128)) {
      wrong_ |= !m.optional && !empty;
      return c;
    }
    if (in_.once_in(64) && !empty) {
      wrong_ = true;
      const std::int32_t others[] = {static_cast<std::int32_t>(m.rows) - 1, 0, -1, INT32_MIN};
      const int kind = in_.below(6);
      if (kind < 4) c.ld = others[kind];
      if (kind == 4) c.said = 0;
      if (kind == 5) c.said = needed - 1;
    }
    c.held = c.said < needed ? c.said : needed;
    c.at = exact<double>(c.held);
    for (std::size_t i = 0; i < c.held; ++i) c.at[i] = untouched;
    if (m.values && c.ld >= static_cast<std::int32_t>(m.rows))
      for (std::size_t k = 0; k < m.rows * m.columns; ++k)
        if (const std::size_t at = k / m.rows * static_cast<std::size_t>(c.ld) + k % m.rows; at < c.held)
          c.at[at] = (*m.values)[k];
    return c;
  }

  Input& in_;
  bool wrong_ = false, row_major_ = false;
};

}  // namespace tenon::fuzz
