// What derivatives by inertial parameters know of links, and their memory: plain arrays (see data/model_data.hpp).
#pragma once

#include "kernels/derivatives/derivative_data.hpp"

namespace tenon {

// Links that joints move, in blocks of four with the numbers of each side by side; the last one fills its block.
template <class T>
struct ParameterData {
  static constexpr int unit_size = 42;  // of a link; kernels/derivatives/regressor.hpp

  std::int32_t count;  // of links
  // The first of them, which differ in bodies or axes; the others share both with one of these.
  std::int32_t own_axes;
  bool by_first_body;        // whether all are moved by the joint of the first body
  const std::int32_t* link;  // whole packs: their numbers in the model
  const std::int32_t* body;  // whole packs: the body that each is fixed to
  const T* in_body;          // 12 a link: rotation row by row and position of its frame in that of the body
  const std::int32_t* ranges_begin;   // count + 1: first of its ranges
  const CoordinateRange* ranges;      // coordinates that move the link, ascending
  const std::int32_t* shifted_begin;  // own_axes + 1: first of the links with the axes of a link
  const T* shift;                     // 9 a link: d, 2 d, d / 2, d its origin in the frame of that link
  T* unit;     // unit_size a link of own axes, whole packs: forces of unit parameters, in root frames
  T* product;  // 10 a link: their products with a motion
};

}  // namespace tenon
