/* The arrays of batches. Included by tenon.hpp. */
#ifndef TENON_BATCH_ARRAY_HPP
#define TENON_BATCH_ARRAY_HPP

namespace tenon {
inline namespace cpp {

/* Numbers of many states: those of one state after those of another; an input of the numbers of one state is the same for
 * all. Or, with strides of its own, `count` numbers of each of `states` states as tenon_batch_array has them: number i of
 * record r of state s is numbers[first + i * number + s * state + r * record], which the library checks. */
template <class T>
class States {
 public:
  States() = default;
  States(std::nullptr_t) {}
  States(T* data, std::size_t size) : numbers_(data, size) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  States(std::initializer_list<std::remove_const_t<T>> list) : numbers_(list.begin(), list.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  template <class C, class = std::enable_if_t<std::is_constructible_v<Span<T>, C&&> &&
                                              !std::is_same_v<std::decay_t<C>, States>>>
  States(C&& numbers) : numbers_(std::forward<C>(numbers)) {}
  States(Span<T> numbers, std::size_t states, std::size_t count, std::ptrdiff_t number, std::ptrdiff_t state,
         std::ptrdiff_t record = 0, std::size_t first = 0)
      : numbers_(numbers),
        strided_(true),
        states_(states),
        first_(first),
        count_(count),
        number_(number),
        state_(state),
        record_(record) {}

  /* How many states they are of, `count` numbers of each. */
  std::size_t states(const char* what, std::size_t count) const {
    if (strided_) return states_;
    if (count == 0 ? !numbers_.empty() : numbers_.size() % count != 0)
      throw Error(TENON_WRONG_SIZE, std::string(what) + ": " + std::to_string(numbers_.size()) +
                                        " numbers, not states x " + std::to_string(count) +
                                        ", one state after another");
    return count == 0 ? 1 : numbers_.size() / count;
  }

 private:
  template <class Real>
  friend class BatchArray;
  Span<T> numbers_;
  bool strided_ = false;
  std::size_t states_ = 0, first_ = 0, count_ = 0;
  std::ptrdiff_t number_ = 1, state_ = 0, record_ = 0;
};

/* A tenon_batch_array, as calls and the structs of options take it; of no numbers it is NULL. */
template <class Real>
class BatchArray {
 public:
  template <class T>
  BatchArray(const char* what, States<T> x, std::size_t count, std::size_t states, std::size_t records = 1) {
    using Number = std::remove_const_t<T>;
    static_assert(std::is_same_v<Number, Real>, "the numbers of a batch are all of its precision");
    given_ = x.strided_ || x.numbers_.data() != nullptr;
    std::size_t size = x.numbers_.size();
    if (!x.strided_) {
      const bool read = std::is_const_v<T>, same = read && size == count,
                 every = !same && read && size == detail::product({states, count});
      x.count_ = count;
      x.state_ = same ? 0 : std::ptrdiff_t(every ? count : detail::product({count, records}));
      x.record_ = same || every || records < 2 ? 0 : std::ptrdiff_t(count);
      if (given_ && !same && !every && size != detail::product({states, records, count}))
        throw Error(TENON_WRONG_SIZE, std::string(what) + ": " + std::to_string(size) + " numbers; " +
                                          std::to_string(states * records) + " times " +
                                          std::to_string(count) + " are needed");
    } else if (x.states_ != states && x.state_ != 0) {
      throw Error(TENON_WRONG_SIZE, std::string(what) + " is of " + std::to_string(x.states_) +
                                        " states, not " + std::to_string(states));
    }
    static Real nothing; /* where there are no numbers, which is not to be read */
    detail::checked(tenon_batch_array_init(&array_, sizeof array_), "array");
    array_.data = x.numbers_.data() != nullptr ? const_cast<Number*>(x.numbers_.data()) : &nothing;
    array_.size = size;
    array_.first = x.first_;
    array_.count = x.count_;
    array_.number_stride = x.number_;
    array_.state_stride = x.state_;
    array_.record_stride = x.record_;
  }
  operator const tenon_batch_array*() const { return given_ ? &array_ : nullptr; }

 private:
  tenon_batch_array array_;
  bool given_ = false;
};

}  // namespace cpp
}  // namespace tenon

#endif
