// One function of tenon.h as sequences of calls know it: how its arguments are drawn, and what of it lasts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "history/arguments.hpp"

namespace tenon::testing::history {

enum class Role {
  plain,   // the answer follows from arguments and settings
  setter,  // the same, and it makes a setting
  keeper,  // the same, and later calls ask for what it keeps
  asks,    // about earlier calls: message, report, memory
  makes,   // or frees the object
};

struct Entry {
  const char* name = "";
  Role role = Role::plain;
  // What a setter or keeper leaves. A later one replaces all of which the name begins with its own.
  std::string slot = {};
  bool of_constraint = false;             // the slot is one of many, by constraint
  bool reads = false;                     // what it leaves depends on other settings
  std::string wants = {};                 // the slot of the keeper whose result it asks for
  bool silent = false;                    // it gives no message, and leaves that of the last call
  std::vector<std::string> forgets = {};  // other slots that it empties
  std::function<std::int64_t(Frame&, void*)> run = {};
};

template <class T>
auto as_tuple(T x) {
  return std::make_tuple(x);
}
template <class... T>
std::tuple<T...> as_tuple(std::tuple<T...> x) {
  return x;
}

// specs: functions of a Frame, each gives one argument, or several as a tuple, in the order of the function.
template <class Object, class R, class... P, class... Spec>
Entry entry(const char* name, R (*function)(Object*, P...), Spec... specs) {
  Entry made;
  made.name = name;
  made.run = [=](Frame& f, void* object) -> std::int64_t {
    const auto arguments = std::apply([](auto... part) { return std::tuple_cat(as_tuple(part)...); },
                                      std::tuple<decltype(specs(f))...>{specs(f)...});
    if constexpr (!std::is_same_v<R, const char*>) f.before_the_call();
    return std::apply(
        [&](auto... argument) -> std::int64_t {
          if constexpr (std::is_same_v<R, const char*>) {
            const char* text = function(static_cast<Object*>(object), argument...);
            f.answer_text = text ? text : "NULL";
            return 0;
          } else {
            return static_cast<std::int64_t>(function(static_cast<Object*>(object), argument...));
          }
        },
        arguments);
  };
  return made;
}
#define TENON_NAMED(function) #function, function

inline Entry setter(std::string slot, Entry entry) {
  entry.role = Role::setter, entry.slot = std::move(slot);
  return entry;
}
inline Entry of_constraint(Entry entry) {
  entry.of_constraint = true;
  return entry;
}
inline Entry reading(Entry entry) {
  entry.reads = true;
  return entry;
}
inline Entry keeper(std::string slot, Entry entry) {
  entry.role = Role::keeper, entry.slot = std::move(slot), entry.reads = true;
  return entry;
}
inline Entry forgetting(std::vector<std::string> slots, Entry entry) {
  entry.forgets = std::move(slots);
  return entry;
}
inline Entry asks(Entry entry) {
  entry.role = Role::asks;
  return entry;
}
inline Entry after(std::string slot, Entry entry) {
  entry.wants = std::move(slot);
  return entry;
}
inline Entry silent(Entry entry) {
  entry.silent = true;
  return entry;
}
inline Entry makes(const char* name) {
  Entry made;
  made.name = name, made.role = Role::makes;
  return made;
}

// Every function of tenon.h and tenonx.h that takes a workspace; a batch.
const std::vector<Entry>& workspace_functions();
const std::vector<Entry>& batch_functions();

}  // namespace tenon::testing::history
