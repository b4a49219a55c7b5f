#include "support/arguments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mechanism/utf8.hpp"
#include "scalar/out_of_range.hpp"
#include "tenon/status.hpp"

namespace tenon::capi {

static std::string quoted(const std::string& text) {
  return "'" + text + "'";
}

bool is_unit_quaternion(const double* xyzw) noexcept {
  const double norm = std::sqrt(std::inner_product(xyzw, xyzw + 4, xyzw, 0.0));
  return std::abs(norm - 1) <= 1e-6;
}

bool all_finite(const double* values, std::size_t count) noexcept {
  return std::all_of(values, values + count, [](double x) { return std::isfinite(x); });
}

void need(const void* pointer, const char* name) {
  if (pointer == nullptr)
    throw Error(Status::invalid_argument, std::string(name) + " is NULL; a value is needed");
}

static void need_text(const char* text, const char* name) {
  need(text, name);
  if (*text == '\0') throw Error(Status::invalid_argument, std::string(name) + " is empty; give a text");
}

std::string need_path(const char* path) {
  need_text(path, "path");
  return path;
}

std::string need_name(const char* text, const char* name) {
  need_text(text, name);
  const std::size_t valid = valid_utf8(text);
  if (text[valid] != '\0')
    throw Error(Status::invalid_argument,
                std::string(name) + " is not UTF-8 from byte " + std::to_string(valid) + " on; give UTF-8");
  return text;
}

void need_index(std::int32_t index, std::size_t count, const char* name, const char* of_what) {
  if (index >= 0 && static_cast<std::size_t>(index) < count) return;
  throw Error(Status::out_of_range, OutOfRange(name, index, count, of_what).text);
}

void need_count(std::size_t count, std::size_t expected, const char* name) {
  if (count == expected) return;
  throw Error(Status::wrong_size, std::string(name) + " has " + std::to_string(count) + " numbers; give " +
                                      std::to_string(expected));
}

std::size_t need_matrix(const double* values, std::size_t count, std::size_t rows, std::size_t columns,
                        std::int32_t ld, const char* name, const char* ld_name) {
  if (rows == 0 || columns == 0) return 0;
  need(values, name);
  if (ld < 0 || static_cast<std::size_t>(ld) < rows)
    throw Error(Status::wrong_size, std::string(ld_name) + " is " + std::to_string(ld) + "; a matrix of " +
                                        std::to_string(rows) + " rows needs at least that many");
  const std::size_t apart = static_cast<std::size_t>(ld);
  if (count < rows || (count - rows) / apart < columns - 1)
    throw Error(Status::wrong_size, std::string(name) + " has " + std::to_string(count) + " numbers; " +
                                        std::to_string(rows) + " x " + std::to_string(columns) +
                                        " with this " + ld_name + " needs " +
                                        std::to_string(apart * (columns - 1) + rows));
  return apart;
}

void need_finite(const double* values, std::size_t count, const char* name) {
  const double* bad = std::find_if_not(values, values + count, [](double x) { return std::isfinite(x); });
  if (bad == values + count) return;
  throw Error(Status::not_finite, std::string(name) + "[" + std::to_string(bad - values) + "] is " +
                                      std::to_string(*bad) + "; give a finite number");
}

Vector3 vector3(const double* values, std::size_t count, const char* name, const Vector3& fallback) {
  if (values == nullptr) return fallback;
  need_count(count, 3, name);
  need_finite(values, 3, name);
  return {values[0], values[1], values[2]};
}

Pose pose(const double* values, std::size_t count, const char* name) {
  if (values == nullptr) return {};
  need_count(count, pose_count, name);
  need_finite(values, pose_count, name);
  if (!is_unit_quaternion(values + 3))
    throw Error(Status::not_normalized,
                std::string(name) +
                    ": numbers 3 to 6 are the quaternion x y z w, and its norm is off 1 by "
                    "more than 1e-6; divide it by its norm");
  return {rotation_from_quaternion({values[3], values[4], values[5], values[6]}),
          {values[0], values[1], values[2]}};
}

void put_pose(const Pose& pose, double* values) noexcept {
  const auto quaternion = quaternion_from_rotation(pose.rotation);
  std::copy(quaternion.begin(), quaternion.end(),
            std::copy(pose.translation.begin(), pose.translation.end(), values));
}

// Levenshtein distance, one row of the table at a time.
static std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// As many of the names as a message has room for.
static std::string some_of(const std::vector<const std::string*>& names) {
  constexpr std::size_t most = 6;
  std::string text;
  std::size_t named = 0;
  for (const std::string* name : names)
    if (!name->empty() && named++ < most) text += (text.empty() ? "" : ", ") + quoted(*name);
  if (names.empty()) return "; there is none";
  if (named == 0) return "; none has a name: give an index, 0 to " + std::to_string(names.size() - 1);
  return "; there are " + text + (named > most ? " and " + std::to_string(named - most) + " more" : "");
}

std::string did_you_mean(const std::string& wanted, const std::vector<const std::string*>& names) {
  const auto small = [](std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
  };
  // A part of a name, "hip" of "left_hip_joint", is nearer than its distance says, and so is a name with something more.
  const auto is_part = [](const std::string& part, const std::string& whole) {
    return part.size() >= 3 && whole.find(part) != std::string::npos;
  };
  const std::string* best = nullptr;
  std::size_t best_distance = wanted.size() / 2 + 2;
  for (const std::string* name : names) {
    const std::string asked = small(wanted), there = small(*name);
    const bool part = is_part(asked, there) || is_part(there, asked);
    if (name->empty() || (!part && name->size() > 2 * wanted.size() + 4)) continue;
    const std::size_t changes = edit_distance(asked, there), distance = part ? changes / 4 + 1 : changes;
    if (distance < best_distance) best_distance = distance, best = name;
  }
  return best ? "; did you mean " + quoted(*best) + "?" : some_of(names);
}

}  // namespace tenon::capi
