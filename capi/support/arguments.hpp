// Checks of single arguments in calls that may throw: NULL, counts, indices, finite numbers, unit
// quaternions. Each throws tenon::Error with the name of the argument and what to give instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tenon/mechanism.hpp"

namespace tenon::capi {

// Poses of the C API: x y z qx qy qz qw.
inline constexpr std::size_t pose_count = 7;

// Of x y z w; false also where a component is not finite.
bool is_unit_quaternion(const double* xyzw) noexcept;
bool all_finite(const double* values, std::size_t count) noexcept;

void need(const void* pointer, const char* name);
// The text itself, which must not be empty, and of a name must be UTF-8.
std::string need_name(const char* text, const char* name);
std::string need_path(const char* path);
void need_index(std::int32_t index, std::size_t count, const char* name, const char* of_what);
void need_count(std::size_t count, std::size_t expected, const char* name);
// Of a column-major matrix; returns its leading dimension.
std::size_t need_matrix(const double* values, std::size_t count, std::size_t rows, std::size_t columns,
                        std::int32_t ld, const char* name, const char* ld_name);
void need_finite(const double* values, std::size_t count, const char* name);

// `fallback` where values is NULL; else checked for count and finite numbers.
Vector3 vector3(const double* values, std::size_t count, const char* name, const Vector3& fallback);
Pose pose(const double* values, std::size_t count, const char* name);
void put_pose(const Pose& pose, double* values) noexcept;

// The name most like the wanted one, as a part of it or by edit distance, as a sentence; where none is near, what there is.
std::string did_you_mean(const std::string& wanted, const std::vector<const std::string*>& names);

}  // namespace tenon::capi
